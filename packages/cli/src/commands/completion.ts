import { type Command, CommandError } from "../command/index.ts";

/** Creates the completion command; the scripts are generated from the commands' names and options. */
export function createCompletionCommand(commands: () => readonly Command[]): Command {
  const SHELLS: Readonly<Record<string, (commands: readonly Command[]) => string>> = { bash: bashScript, zsh: zshScript, fish: fishScript };
  return {
    name: "completion",
    summary: "Print a shell completion script.",
    usage: "bash|zsh|fish",
    options: {},
    optionDescriptions: {},
    examples: [
      "source <(pintle completion bash)                  # in ~/.bashrc",
      "source <(pintle completion zsh)                   # in ~/.zshrc, after compinit",
      "pintle completion fish | source                   # in ~/.config/fish/config.fish",
    ],
    maxPositionals: 1,
    async run({ positionals }, io) {
      const script = SHELLS[positionals[0] ?? ""];
      if (script === undefined) throw new CommandError("PINTLE7004", "missing shell argument: must be bash, zsh or fish", 2);
      io.out(script(commands()));
    },
  };
}

const listFlags = ({ options }: Command) => [...Object.keys(options).map((name) => `--${name}`), "--help"];
const firstWords = (commands: readonly Command[]) => [...new Set(commands.map(({ name }) => name.split(" ")[0]!)), "help"];
/** Maps each first word to its second words: "create" to "api", "controller", "webhook". */
function secondWords(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [first, second] of commands.map(({ name }) => name.split(" "))) {
    if (second !== undefined) found.set(first!, [...(found.get(first!) ?? []), second]);
  }
  return found;
}

function bashScript(commands: readonly Command[]): string {
  const groups = [...secondWords(commands)].map(([first, seconds]) => `    "${first}") words="${seconds.join(" ")}" ;;`);
  const flags = commands.map((command) => `    "${command.name}") flags="${listFlags(command).join(" ")}" ;;`);
  return `# pintle: completion for bash
_pintle() {
  local current="\${COMP_WORDS[COMP_CWORD]}" line="" word words="" flags=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) line="\${line:+$line }$word" ;; esac
  done
  case "$line" in
    "") words="${firstWords(commands).join(" ")}" ;;
${groups.join("\n")}
  esac
  while [ -n "$line" ] && [ -z "$flags" ]; do
    case "$line" in
${flags.map((each) => `  ${each}`).join("\n")}
    esac
    case "$line" in *" "*) line="\${line% *}" ;; *) line="" ;; esac
  done
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -o default -F _pintle pintle
`;
}

function zshScript(commands: readonly Command[]): string {
  const escapeZsh = (text: string) => text.replaceAll("'", "'\\''").replaceAll(":", "\\:");
  const first = firstWords(commands).map((word) => {
    const command = commands.find(({ name }) => name === word);
    return `'${word}${command === undefined ? "" : `:${escapeZsh(command.summary)}`}'`;
  });
  const groups = [...secondWords(commands)].map(([word, seconds]) => `    "${word}") compadd ${seconds.join(" ")} ;;`);
  const flags = commands.map((command) => `      "${command.name}"*) flags=(${listFlags(command).join(" ")}); break ;;`);
  return `# pintle: completion for zsh
_pintle() {
  local line="" word
  local -a flags
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    [[ "$word" == -* ]] || line="\${line:+$line }$word"
  done
  if [[ "\${words[CURRENT]}" == -* ]]; then
    while true; do
      case "$line" in
${flags.join("\n")}
      esac
      break
    done
    compadd -- "\${flags[@]}"
    return
  fi
  case "$line" in
    "") local -a first=(${first.join(" ")}); _describe command first ;;
${groups.join("\n")}
    *) _files ;;
  esac
}
compdef _pintle pintle
`;
}

function fishScript(commands: readonly Command[]): string {
  const quoteFish = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
  const alone = firstWords(commands).map((word) => {
    const summary = commands.find(({ name }) => name === word)?.summary ?? "";
    return `complete -c pintle -f -n __fish_use_subcommand -a ${word}${summary === "" ? "" : ` -d ${quoteFish(summary)}`}`;
  });
  const groups = [...secondWords(commands)].map(
    ([word, seconds]) =>
      `complete -c pintle -f -n '__fish_seen_subcommand_from ${word}; and not __fish_seen_subcommand_from ${seconds.join(" ")}' -a '${seconds.join(" ")}'`,
  );
  const flags = commands.flatMap(({ name, options, optionDescriptions }) => {
    const seen = name
      .split(" ")
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join("; and ");
    return Object.entries(options).map(
      ([option, { type, short }]) =>
        `complete -c pintle -n '${seen}' -l ${option}${short === undefined ? "" : ` -s ${short}`}${type === "string" ? " -r" : ""} -d ${quoteFish(optionDescriptions[option] ?? "")}`,
    );
  });
  return `# pintle: completion for fish\n${[...alone, ...groups, ...flags].join("\n")}\n`;
}
