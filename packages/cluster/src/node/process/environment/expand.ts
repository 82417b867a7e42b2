/** `$(NAME)` by its value, `$$(NAME)` as it is written with one dollar less; unknown names stay. */
export function expand(text: string, known: (name: string) => string | undefined): string {
  return text.replace(/\$(\$|\(([^()]*)\))/g, (whole, rest: string, name: string | undefined) => {
    if (rest === "$") return "$";
    return known(name ?? "") ?? whole;
  });
}
