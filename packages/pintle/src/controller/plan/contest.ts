/**
 * Names what two writers do to a child in turn: one changes the fields that the other sets, deletes what it creates, or creates what it prunes. `child` is
 * "ConfigMap default/a".
 */
export function contestOf(type: "change" | "deletion" | "creation", child: string): string {
  return type === "change" ? child : `${type} of ${child}`;
}
