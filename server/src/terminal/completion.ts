/** `agentq completion`: what a shell needs to complete the commands and their options. */
import { parseArgs } from "node:util";
import { commandLines } from "./command-line.ts";
import { EXIT } from "./exit-codes.ts";
import { UsageError, type Stage } from "./stage.ts";

const HELP = `usage: agentq completion bash|zsh|fish

Prints a script that completes commands, options and files:

  bash   eval "$(agentq completion bash)"                          in ~/.bashrc
  zsh    eval "$(agentq completion zsh)"                           in ~/.zshrc, after compinit
  fish   agentq completion fish > ~/.config/fish/completions/agentq.fish

Exit codes: 0 the script is printed, 2 the command line makes no sense.
`;

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };
const FRONT = ["--stdio", "--version", "--help"];
const lines = Object.entries(commandLines);
const wordsOf = (name: string): string[] => {
  const { options = [], values = [] } = commandLines[name] ?? {};
  return [...values, ...options, "--help"];
};

export async function runCompletion(args: readonly string[], stage: Stage): Promise<number> {
  const options = { help: { type: "boolean", short: "h", default: false } } as const;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  if (values.help) {
    stage.out.write(HELP);
    return EXIT.ok;
  }
  const [shell = "", ...more] = positionals;
  const script = SHELLS[shell];
  if (script === undefined || more.length > 0) throw new UsageError(`Name one of ${Object.keys(SHELLS).join(", ")}.`);
  stage.out.write(script());
  return EXIT.ok;
}

function bash(): string {
  const cases = lines.map(([name]) => `    ${name}) words="${wordsOf(name).join(" ")}" ;;`);
  return `_agentq() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words=
  case $before in
    --settings) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --yes-to) COMPREPLY=($(compgen -W reads -- "$word")); return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${[...lines.map(([name]) => name), ...FRONT].join(" ")}"
  else case \${COMP_WORDS[1]} in
${cases.join("\n")}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _agentq agentq
`;
}

function zsh(): string {
  const described = lines.map(([name, { summary }]) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = lines.map(([name]) => `    ${name}) compadd -- ${wordsOf(name).join(" ")} ;;`);
  return `#compdef agentq
_agentq() {
  local -a commands
  commands=(
${described.join("\n")}
  )
  case $words[CURRENT-1] in
    --settings) _files; return ;;
    --yes-to) compadd -- reads; return ;;
  esac
  if (( CURRENT == 2 )); then
    _describe command commands
    compadd -- ${FRONT.join(" ")}
  else case $words[2] in
${cases.join("\n")}
  esac; fi
}
compdef _agentq agentq
`;
}

function fish(): string {
  const first = lines.map(
    ([name, { summary }]) => `complete -c agentq -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
  );
  const front = FRONT.map((option) => `complete -c agentq -n __fish_use_subcommand -l ${option.slice(2)}`);
  const rest = lines.flatMap(([name]) =>
    wordsOf(name).map((word) => {
      const argument = word === "--settings" ? " -r -F" : word === "--yes-to" ? " -x -a reads" : "";
      const what = word.startsWith("--") ? `-l ${word.slice(2)}${argument}` : `-a ${word}`;
      return `complete -c agentq -n "__fish_seen_subcommand_from ${name}" ${what}`;
    }),
  );
  return `complete -c agentq -f\n${[...first, ...front, ...rest].join("\n")}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "’")}'`;
}
