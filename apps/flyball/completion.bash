# Completion for flyball. Commands and options are checked against the program's own table by the test cli_manual.
_flyball() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=""
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "check run equilibrium linearize modes bench sweep optimize report plot integrators schema help --version --help" -- "$word")
        return
    fi
    case $before in
        -o | --output | --cases | --vtu | --matrices | --svg | --report | --example | --reference)
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
        --integrator)
            mapfile -t COMPREPLY < <(compgen -W "auto radau dop853 alpha gauss2 gauss4 gauss6 linear bdf adams ida" -- "$word")
            return
            ;;
        --method)
            mapfile -t COMPREPLY < <(compgen -W "independent descriptor ode penalty all" -- "$word")
            return
            ;;
        --coordinates)
            mapfile -t COMPREPLY < <(compgen -W "joint absolute both" -- "$word")
            return
            ;;
        --at)
            mapfile -t COMPREPLY < <(compgen -W "equilibrium initial" -- "$word")
            return
            ;;
        --steady | --repeat | --penalty | --baumgarte | --exact | --lowest | --shift | --points | --frf | --from | --to | --points-per-decade) return ;;
        --set | --duration | --sample | --rtol | --atol | --accuracy | --max-step | --step | --spectral-radius | --outputs | --title | --damping | --checkpoint | --jobs | --part) return ;;
    esac
    if [[ $word != -* ]]; then
        case $command in
            check | run | equilibrium | linearize | modes | sweep | optimize) mapfile -t COMPREPLY < <(compgen -f -X '!*.@(yaml|yml|json)' -- "$word"; compgen -d -- "$word") ;;
            bench) mapfile -t COMPREPLY < <(compgen -W "$(flyball bench --list 2>/dev/null | cut -d ' ' -f 1)" -- "$word") ;;
            report | plot) mapfile -t COMPREPLY < <(compgen -f -X '!*.@(csv|json)' -- "$word"; compgen -d -- "$word") ;;
            help) mapfile -t COMPREPLY < <(compgen -W "check run equilibrium linearize modes bench sweep optimize report plot integrators schema help" -- "$word") ;;
        esac
        return
    fi
    case $command in
        check) words="--set --json --quiet -q --help -h" ;;
        run)
            words="--set --duration --sample --rtol --atol --accuracy --error-estimate --no-error-estimate --max-step --step --spectral-radius --integrator --report --format --vtu --poses --resume --checkpoint --damping --output -o"
            words+=" --json --quiet -q --help -h"
            ;;
        equilibrium) words="--set --steady --json --quiet -q --help -h" ;;
        linearize)
            words="--set --at --steady --method --coordinates --repeat --penalty --baumgarte --exact --matrices --report --output -o"
            words+=" --json --quiet -q --help -h"
            ;;
        modes)
            words="--set --at --steady --undamped --lowest --shift --points --frf --from --to --points-per-decade --svg --report --vtu --output -o"
            words+=" --json --quiet -q --help -h"
            ;;
        bench)
            words="--rtol --atol --integrator --tight --list --cases --report --example --output -o"
            words+=" --json --quiet -q --help -h"
            ;;
        sweep) words="--set --jobs --part --retry --output -o --json --quiet -q --help -h" ;;
        optimize) words="--set --jobs --retry --output -o --json --quiet -q --help -h" ;;
        report) words="--reference --title --output -o --quiet -q --help -h" ;;
        plot) words="--outputs --reference --title --output -o --quiet -q --help -h" ;;
        integrators) words="--json --help -h" ;;
        schema) words="--markdown --output -o --help -h" ;;
        help) words="--json --help -h" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o filenames -F _flyball flyball
