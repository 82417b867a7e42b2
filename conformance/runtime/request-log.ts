import type { Client } from "pintle/client";

const VERBS = ["get", "find", "list", "create", "replace", "patch", "apply", "delete"] as const;

/** Wraps a client so that it records its requests, except watches: "apply deployments default/web". */
export function recordRequests(client: Client): { readonly client: Client; readonly requests: string[] } {
  const requests: string[] = [];
  const recordVerbs = (verbs: Record<string, unknown>, label: string) =>
    Object.fromEntries(
      VERBS.filter((verb) => verbs[verb] !== undefined).map((verb) => [
        verb,
        (kind: { plural: string }, what: any, ...rest: unknown[]) => {
          const { namespace, name } = what?.metadata ?? what ?? {};
          requests.push(`${label}${verb} ${kind.plural} ${namespace}/${name}`);
          return (verbs[verb] as (...args: unknown[]) => unknown)(kind, what, ...rest);
        },
      ]),
    );
  const all = client as unknown as Record<string, unknown>;
  return {
    client: {
      ...client,
      ...recordVerbs(all, ""),
      status: { ...client.status, ...recordVerbs(all["status"] as Record<string, unknown>, "status ") },
    } as Client,
    requests,
  };
}
