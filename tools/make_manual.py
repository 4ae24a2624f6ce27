#!/usr/bin/env python3
"""Writes the options and examples of the man page and the completions for bash, zsh and fish from the program's own table.

    tools/make_manual.py build/release/bin/flyball apps/flyball [--check]

The rest of the man page is written by hand and kept. --check compares with what is there.
"""
import json
import pathlib
import re
import subprocess
import sys

# What may follow an option, besides files and free values.
CHOICES = {
    "--method": "independent descriptor ode penalty all",
    "--coordinates": "joint absolute both",
    "--at": "equilibrium initial",
    "--format": "fbr mat npz",
}
# Arguments that are files or folders, by their names in the table.
FILES = {"PATH", "FILE", "FILE.csv", "DIR", "MODEL"}
# Endings of the operands of a command.
ENDINGS = {"MODEL": "yaml yml json", "STUDY": "yaml yml json", "RESULT": "csv fbr json", "RESULT...": "csv json", "FILE.yaml": "yaml"}
NOTE = "Written by tools/make_manual.py from the program's own table of commands and options."


def read_table(program):
    commands = json.loads(subprocess.run([program, "help", "--json"], check=True, capture_output=True, text=True).stdout)["commands"]
    methods = json.loads(subprocess.run([program, "integrators", "--json"], check=True, capture_output=True, text=True).stdout)
    names = [m["name"] for m in methods["integrators"]]
    return commands, {**CHOICES, "--integrator": " ".join(dict.fromkeys(["auto", *names]))}


def all_options(commands):
    """Each option once, with the commands and texts that it has, in the order of the table."""
    out = {}
    for command in commands:
        for option in command["options"]:
            entry = out.setdefault(option["name"], {**option, "texts": {}})
            entry["texts"].setdefault(option["help"], []).append(command["name"])
    return out


def words_of(command):
    return [word for o in command["options"] for word in (o["name"], o["letter"]) if word]


# ---- man page ----

def roff(text):
    return text.replace("\\", "\\\\").replace("-", "\\-")


def man_options(commands):
    lines = [".SH OPTIONS", f'.\\" {NOTE}', "Each option may be written as", ".B \\-\\-name \\fIVALUE\\fR", "or", ".BR \\-\\-name=\\fIVALUE\\fR ."]
    for name, option in sorted(all_options(commands).items()):
        letter = f"{roff(option['letter'])}\\fR, \\fB" if option["letter"] else ""
        argument = f" \\fI{roff(option['argument'])}\\fR" if option["argument"] else ""
        lines += [".TP", f".B {letter}{roff(name)}{argument}"]
        for i, (text, names) in enumerate(option["texts"].items()):
            whom = "" if len(names) > 8 else f"({', '.join(names)}) "
            lines += ([".br"] if i else []) + [f"{whom}{roff(text[0].upper() + text[1:])}."]
    return lines + [".TP", ".B \\-\\-version", "Print the version."]


def man_examples(commands):
    lines = [".SH EXAMPLES", f'.\\" {NOTE}']
    for command in commands:
        for example in command["examples"]:
            lines += [".TP", f".B {roff(example['line'])}", f"{roff(example['what'][0].upper() + example['what'][1:])}."]
    return lines


def man_page(old, commands):
    head, rest = old.split(".SH OPTIONS\n", 1)
    middle = rest[rest.index(".SH EXIT STATUS\n"):].split(".SH EXAMPLES\n", 1)[0]
    return head + "\n".join(man_options(commands)) + "\n" + middle + "\n".join(man_examples(commands)) + "\n"


# ---- completions ----

def bash(commands, choices):
    names = " ".join(c["name"] for c in commands)
    options = all_options(commands)
    files = [w for o in options.values() if o["argument"] in FILES for w in (o["letter"], o["name"]) if w]
    free = [n for n, o in options.items() if o["argument"] and o["argument"] not in FILES and n not in choices]
    out = [f"# Completion for bash. {NOTE}", "_flyball() {",
           '    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=""',
           "    COMPREPLY=()", '    if [ "$COMP_CWORD" = 1 ]; then',
           f'        mapfile -t COMPREPLY < <(compgen -W "{names} --version --help" -- "$word")', "        return", "    fi", "    case $before in",
           f"        {' | '.join(files)})", '            mapfile -t COMPREPLY < <(compgen -f -- "$word")', "            return", "            ;;"]
    for name, values in sorted(choices.items()):
        out += [f"        {name})", f'            mapfile -t COMPREPLY < <(compgen -W "{values}" -- "$word")', "            return", "            ;;"]
    out += [f"        {' | '.join(free)}) return ;;", "    esac", "    if [[ $word != -* ]]; then", "        case $command in"]
    for ending in dict.fromkeys(ENDINGS.values()):
        whom = " | ".join(c["name"] for c in commands if ENDINGS.get(c["operands"]) == ending)
        out.append(f"            {whom}) mapfile -t COMPREPLY < <(compgen -f -X '!*.@({ending.replace(' ', '|')})' -- \"$word\"; compgen -d -- \"$word\") ;;")
    out += ["            bench) mapfile -t COMPREPLY < <(compgen -W \"$(flyball bench --list 2>/dev/null | cut -d ' ' -f 1)\" -- \"$word\") ;;",
            f'            help) mapfile -t COMPREPLY < <(compgen -W "{names}" -- "$word") ;;', "        esac", "        return", "    fi", "    case $command in"]
    out += [f'        {c["name"]}) words="{" ".join(words_of(c))}" ;;' for c in commands]
    out += ["    esac", '    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")', "}", "complete -o filenames -F _flyball flyball"]
    return "\n".join(out) + "\n"


def zsh_text(text):
    return text.replace("\\", "\\\\").replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def zsh_option(option, choices):
    name, argument = option["name"], option["argument"]
    action = f"({choices[name]})" if name in choices else "_files" if argument in FILES else " "
    value = f":{zsh_text(argument)}:{action}" if argument else ""
    text = f"[{zsh_text(option['help'])}]{value}"
    heads = [name, option["letter"]] if option["letter"] else [name]
    return [f"'*{head}{text}'" for head in heads]


def zsh_operand(command):
    operands = command["operands"]
    if operands in ENDINGS:
        return f"'*:{operands.strip('.').lower()}:_files -g \"*.({ENDINGS[operands].replace(' ', '|')})\"'"
    if operands == "[CASE...]":
        return "'*:case:($(flyball bench --list 2>/dev/null | cut -d \" \" -f 1))'"
    return "'1:command:(${commands%%:*})'" if operands == "[COMMAND]" else ""


def zsh(commands, choices):
    out = ["#compdef flyball", f"# Completion for zsh. {NOTE}", "_flyball() {", "    local -a commands=("]
    out += [f"        '{c['name']}:{zsh_text(c['summary'])}'" for c in commands]
    out += ["    )", "    if (( CURRENT == 2 )); then", "        _describe command commands", "        return", "    fi",
            "    local command=${words[2]}", "    shift words; (( CURRENT-- ))", "    case $command in"]
    for command in commands:
        parts = [p for o in command["options"] for p in zsh_option(o, choices)] + [zsh_operand(command)]
        out += [f"        {command['name']})", "            _arguments \\"]
        shown = [p for p in parts if p]
        out += [f"                {p}{' ' + chr(92) if i + 1 < len(shown) else ''}" for i, p in enumerate(shown)] + ["            ;;"]
    return "\n".join(out + ["    esac", "}", '_flyball "$@"']) + "\n"


def fish_text(text):
    return text.replace("\\", "\\\\").replace("'", "\\'")


def fish(commands, choices):
    out = [f"# Completion for fish. {NOTE}", "complete -c flyball -f"]
    out += [f"complete -c flyball -n __fish_use_subcommand -a {c['name']} -d '{fish_text(c['summary'])}'" for c in commands]
    out.append("complete -c flyball -n __fish_use_subcommand -l version -d 'print the version'")
    for command in commands:
        when = f"complete -c flyball -n '__fish_seen_subcommand_from {command['name']}'"
        if command["operands"] in ENDINGS:
            out.append(f"{when} -F")
        if command["operands"] == "[CASE...]":
            out.append(f"{when} -a '(flyball bench --list 2>/dev/null | string split -f 1 \" \")'")
        for o in command["options"]:
            letter = f" -s {o['letter'][1:]}" if o["letter"] else ""
            value = f" -x -a '{choices[o['name']]}'" if o["name"] in choices else " -r -F" if o["argument"] in FILES else " -x" if o["argument"] else ""
            out.append(f"{when} -l {o['name'][2:]}{letter}{value} -d '{fish_text(o['help'])}'")
    return "\n".join(out) + "\n"


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    commands, choices = read_table(program)
    texts = {
        "flyball.1": man_page((folder / "flyball.1").read_text(), commands),
        "completion.bash": bash(commands, choices),
        "completion.zsh": zsh(commands, choices),
        "completion.fish": fish(commands, choices),
    }
    stale = [name for name, text in texts.items() if not (folder / name).exists() or (folder / name).read_text() != text]
    if "--check" in sys.argv:
        for name in stale:
            print(f"{folder / name} is not what the table gives: run tools/make_manual.py {program} {folder}")
        return 1 if stale else 0
    for name in stale:
        (folder / name).write_text(texts[name])
    return 0


if __name__ == "__main__":
    sys.exit(main())
