import { parseArgs } from "node:util";

/** The task given on the command line. */
export type GeneratorTask =
  | { readonly task: "help" }
  | { readonly task: "built-in"; readonly from: DocumentsSource; readonly out: string | undefined; readonly modules: string | undefined }
  | { readonly task: "custom"; readonly from: CrdSource; readonly out: string };

/** A folder of saved responses, or an API server. */
export type DocumentsSource = { readonly folder: string } | ServerAddress;
export interface ServerAddress {
  readonly server: string | undefined;
  readonly kubeconfig: string | undefined;
}
/** A file of CRDs ("-": standard input), or the name of a CRD in a cluster. */
export type CrdSource = { readonly file: string } | { readonly name: string; readonly at: ServerAddress };

export const HELP = `Generates typed kinds from the OpenAPI and discovery documents of an API server.

Built-in kinds (all generally available group-versions):
  npm run kinds -- --openapi DIR                       from saved responses of an API server, see below
  npm run kinds -- --kubeconfig FILE [--server URL]    from a running cluster
      --out DIR          write the kinds to DIR, importing from "pintle/kinds". Default: replace the kinds of this
                         repository and the tables of the embedded cluster
      --go-modules DIR   also generate the embedded cluster's protobuf tables from the Kubernetes sources in this Go
                         module cache (only without --out)

Kinds of a CustomResourceDefinition (one file per served version):
  npm run kinds -- --crd FILE --out DIR                from YAML or JSON; "-" reads standard input
  npm run kinds -- --crd-name NAME --kubeconfig FILE [--server URL] --out DIR

DIR of --openapi contains the responses of /openapi/v3/<group-version>, /api/v1, /apis/<group>/<version>, /apis
and /apis/apiregistration.k8s.io/v1/apiservices in files with any names ending in .json.
`;

/** Parses the command line. Throws for contradictory options. */
export function parseArguments(argv: readonly string[]): GeneratorTask {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      openapi: { type: "string" },
      server: { type: "string" },
      kubeconfig: { type: "string" },
      crd: { type: "string" },
      "crd-name": { type: "string" },
      "go-modules": { type: "string" },
      out: { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help === true || argv.length === 0) return { task: "help" };
  const { openapi, server, kubeconfig, crd, out, "crd-name": crdName, "go-modules": modules } = values;
  const usesCluster = server !== undefined || kubeconfig !== undefined;
  if (crd !== undefined || crdName !== undefined) {
    if (out === undefined) throw new Error("Specify where to write the kinds: --out DIR");
    if (openapi !== undefined || modules !== undefined)
      throw new Error("--openapi and --go-modules apply to built-in kinds: remove them with a CRD");
    if (crd !== undefined && crdName !== undefined) throw new Error("Give either --crd or --crd-name");
    if (crd !== undefined) return { task: "custom", from: { file: crd }, out };
    return { task: "custom", from: { name: crdName!, at: { server, kubeconfig } }, out };
  }
  if (openapi !== undefined && usesCluster) throw new Error("Give either --openapi or a cluster (--kubeconfig, --server)");
  if (openapi === undefined && !usesCluster) throw new Error("Specify the source: --openapi, --kubeconfig, --server, --crd or --crd-name");
  if (modules !== undefined && out !== undefined) throw new Error("--go-modules generates tables of this repository: remove --out");
  const from = openapi === undefined ? { server, kubeconfig } : { folder: openapi };
  return { task: "built-in", from, out, modules };
}
