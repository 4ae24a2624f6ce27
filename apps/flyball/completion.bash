# Completion for bash. Written by tools/make_manual.py from the program's own table of commands and options.
_flyball() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=""
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "new check run equilibrium linearize modes bench sweep optimize report plot convert reduce integrators schema explain help --version --help" -- "$word")
        return
    fi
    case $before in
        --report | --vtu | -o | --output | --matrices | --svg | --cases | --example | --reference)
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
        --at)
            mapfile -t COMPREPLY < <(compgen -W "equilibrium initial" -- "$word")
            return
            ;;
        --coordinates)
            mapfile -t COMPREPLY < <(compgen -W "joint absolute both" -- "$word")
            return
            ;;
        --format)
            mapfile -t COMPREPLY < <(compgen -W "fbr mat npz" -- "$word")
            return
            ;;
        --integrator)
            mapfile -t COMPREPLY < <(compgen -W "auto radau dop853 alpha linear gauss2 gauss4 gauss6 bdf adams ida" -- "$word")
            return
            ;;
        --method)
            mapfile -t COMPREPLY < <(compgen -W "independent descriptor ode penalty all" -- "$word")
            return
            ;;
        --set | --size-limit | --duration | --sample | --rtol | --atol | --accuracy | --max-step | --step | --spectral-radius | --gltf | --damping | --checkpoint | --steady | --repeat | --penalty | --baumgarte | --exact | --lowest | --shift | --points | --frf | --from | --to | --points-per-decade | --mode | --jobs | --part | --join | --png | --view | --time | --size | --with | --title | --outputs) return ;;
    esac
    if [[ $word != -* ]]; then
        case $command in
            check | run | equilibrium | linearize | modes | sweep | optimize | reduce) mapfile -t COMPREPLY < <(compgen -f -X '!*.@(yaml|yml|json)' -- "$word"; compgen -d -- "$word") ;;
            plot | convert) mapfile -t COMPREPLY < <(compgen -f -X '!*.@(csv|fbr|json)' -- "$word"; compgen -d -- "$word") ;;
            report) mapfile -t COMPREPLY < <(compgen -f -X '!*.@(csv|json)' -- "$word"; compgen -d -- "$word") ;;
            new) mapfile -t COMPREPLY < <(compgen -f -X '!*.@(yaml)' -- "$word"; compgen -d -- "$word") ;;
            bench) mapfile -t COMPREPLY < <(compgen -W "$(flyball bench --list 2>/dev/null | cut -d ' ' -f 1)" -- "$word") ;;
            help) mapfile -t COMPREPLY < <(compgen -W "new check run equilibrium linearize modes bench sweep optimize report plot convert reduce integrators schema explain help" -- "$word") ;;
        esac
        return
    fi
    case $command in
        new) words="--quiet -q --help -h" ;;
        check) words="--set --size-limit --json --quiet -q --help -h" ;;
        run) words="--set --size-limit --duration --sample --rtol --atol --accuracy --error-estimate --no-error-estimate --max-step --step --spectral-radius --integrator --report --format --vtu --gltf --poses --damping --resume --checkpoint --output -o --json --quiet -q --help -h" ;;
        equilibrium) words="--set --size-limit --steady --json --quiet -q --help -h" ;;
        linearize) words="--set --size-limit --at --steady --method --coordinates --repeat --penalty --baumgarte --exact --matrices --report --output -o --json --quiet -q --help -h" ;;
        modes) words="--set --size-limit --at --steady --undamped --lowest --shift --points --frf --from --to --points-per-decade --svg --report --vtu --gltf --mode --output -o --json --quiet -q --help -h" ;;
        bench) words="--rtol --atol --integrator --tight --list --cases --report --resume --mpi --untimed --example --output -o --json --quiet -q --help -h" ;;
        sweep) words="--set --report --jobs --part --join --slurm --submit --mpi --untimed --retry --output -o --json --quiet -q --help -h" ;;
        optimize) words="--set --report --jobs --mpi --untimed --retry --output -o --json --quiet -q --help -h" ;;
        report) words="--gltf --png --view --time --size --reference --with --title --output -o --quiet -q --help -h" ;;
        plot) words="--outputs --reference --title --output -o --quiet -q --help -h" ;;
        convert) words="--output -o --quiet -q --help -h" ;;
        reduce) words="--set --size-limit --mpi --output -o --json --quiet -q --help -h" ;;
        integrators) words="--json --help -h" ;;
        schema) words="--markdown --study --output -o --help -h" ;;
        explain) words="--json --help -h" ;;
        help) words="--json --help -h" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o filenames -F _flyball flyball
