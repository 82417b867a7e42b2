import type { Client } from "pintle/client";

const VERBS = ["create", "replace", "patch", "apply", "delete"] as const;

/** The same client, and a note of everything it wrote: "apply deployments default/web". */
export function counted(client: Client): { readonly client: Client; readonly writes: string[] } {
  const writes: string[] = [];
  const noting = (verbs: Record<string, unknown>, label: string) =>
    Object.fromEntries(
      VERBS.filter((verb) => verbs[verb] !== undefined).map((verb) => [
        verb,
        (kind: { plural: string }, what: any, ...rest: unknown[]) => {
          const { namespace, name } = what.metadata ?? what;
          writes.push(`${label}${verb} ${kind.plural} ${namespace}/${name}`);
          return (verbs[verb] as (...args: unknown[]) => unknown)(kind, what, ...rest);
        },
      ]),
    );
  const all = client as unknown as Record<string, unknown>;
  return {
    client: {
      ...client,
      ...noting(all, ""),
      status: { ...client.status, ...noting(all["status"] as Record<string, unknown>, "status ") },
    } as Client,
    writes,
  };
}
