import { defineResource, z } from "pintle";
import { type Arguments, CommandError } from "../command.ts";
import type { Api } from "../scaffold/index.ts";

const DNS = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** A domain with a dot, or a sentence about it. */
export function domainOf(command: string, domain: string): string {
  if (DNS.test(domain) && domain.includes(".")) return domain;
  throw new CommandError(`pintle ${command}: --domain ${domain} is not a DNS name with a dot, such as shop.example.com`, 2);
}

export const API_OPTIONS = {
  group: { type: "string" },
  version: { type: "string" },
  kind: { type: "string" },
  scope: { type: "string" },
  "cluster-scoped": { type: "boolean" },
  "no-controller": { type: "boolean" },
} as const;
export const FOREIGN_OPTIONS = { external: { type: "boolean" }, plural: { type: "string" } } as const;
export const FOREIGN_ABOUT = {
  external: "a kind of somebody else, built in or with a definition of its own: only a controller is made",
  plural: "with --external: the kind's plural, if it is not the English one",
};
export const API_ABOUT = {
  group: "API group: a whole name, or a word before the project's domain (default: the domain)",
  version: "version of the resource (default: v1alpha1)",
  kind: "kind of the resource, such as Storefront",
  scope: "Namespaced (default) or Cluster",
  "cluster-scoped": "the same as --scope Cluster",
  "no-controller": "only the resource",
};

/** The resource that a command line describes. */
export function apiOf(command: string, { values }: Arguments, domain: string, fallbackKind?: string): Api {
  const wrong = (what: string) => new CommandError(`pintle ${command}: ${what}`, 2);
  const kind = (values["kind"] ?? fallbackKind) as string | undefined;
  if (kind === undefined) throw wrong("say the resource's kind: --kind Storefront");
  if (!/^[A-Z][A-Za-z0-9]*$/.test(kind))
    throw wrong(`--kind ${kind} is not a Kind: start with a capital and use letters and digits, such as Storefront`);
  const version = String(values["version"] ?? "v1alpha1");
  if (!/^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/.test(version))
    throw wrong(`--version ${version} is not a version such as v1alpha1, v1beta2 or v1`);
  const scope = values["cluster-scoped"] === true ? "Cluster" : String(values["scope"] ?? "Namespaced");
  if (values["cluster-scoped"] === true && values["scope"] === "Namespaced")
    throw wrong("--cluster-scoped and --scope Namespaced exclude each other");
  if (scope !== "Namespaced" && scope !== "Cluster") throw wrong(`--scope ${scope} is neither Namespaced nor Cluster`);
  const said = values["group"] as string | undefined;
  const group = said === undefined ? domain : said.includes(".") ? said : `${said}.${domain}`;
  if (!DNS.test(group))
    throw wrong(
      `--group ${said} does not make a DNS name: use lower-case letters, digits, dashes and dots, such as store or store.example.com`,
    );
  return { group, version, kind, scope, controller: values["no-controller"] !== true };
}

/** Somebody else's kind: its group is said as it is, and a built-in one comes with the library. */
export async function foreignOf(command: string, args: Arguments): Promise<Api> {
  const { group: said, plural } = args.values as Readonly<Record<string, string | undefined>>;
  if (said === undefined || args.values["version"] === undefined) {
    throw new CommandError(`pintle ${command}: --external needs --group and --version, such as --group apps --version v1`, 2);
  }
  const group = said === "core" ? "" : said;
  const api = { ...apiOf(command, { ...args, values: { ...args.values, group: undefined } }, "example.com"), group };
  const module = `pintle/kinds/${group === "" ? "core" : group.split(".")[0]}/${api.version}`;
  const builtIn = (await import(module).catch(() => ({})))[api.kind] as { group: string; plural: string; scope: Api["scope"] } | undefined;
  if (builtIn !== undefined && builtIn.group === group) {
    return { ...api, scope: builtIn.scope, foreign: { plural: builtIn.plural, module } };
  }
  const { plural: english } = defineResource({ group: "example.com", version: "v1", kind: api.kind, spec: z.object({}) });
  return { ...api, foreign: { plural: plural ?? english } };
}
