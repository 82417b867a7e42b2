/** The words after a verb: flags with their values, and the rest. */
export interface Line {
  /** The value of `--name value` or `--name=value`, "" for a flag alone; undefined when it is not there. */
  take(name: string): string | undefined;
  /** What follows no flag. */
  readonly rest: readonly string[];
  /** Everything that was not taken, as it was. */
  left(): readonly string[];
}

/** `alone` are flags that take no value. */
export function line(words: readonly string[], alone: readonly string[]): Line {
  const flags = new Map<string, { readonly words: readonly string[]; readonly value: string }>();
  const rest: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const [, name, value] = /^--?([a-zA-Z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
    const next = words[i + 1];
    if (name === undefined) rest.push(word);
    else if (value !== undefined || alone.includes(name) || next === undefined || /^-\S*$/.test(next))
      flags.set(name, { words: [word], value: value ?? "" });
    else {
      flags.set(name, { words: [word, next], value: next });
      i++;
    }
  }
  return {
    rest,
    take(name) {
      const found = flags.get(name);
      flags.delete(name);
      return found?.value;
    },
    left: () => [...rest, ...[...flags.values()].flatMap((flag) => flag.words)],
  };
}
