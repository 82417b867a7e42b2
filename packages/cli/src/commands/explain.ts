import { type Command, CommandError } from "../command.ts";
import { OUTPUT_ABOUT, OUTPUT_OPTION, outputOf } from "../output.ts";
import { describe, findProject } from "../project/index.ts";
import { explanation, fieldOf } from "./explanation.ts";

export const explain: Command = {
  name: "explain",
  summary: "Tell the fields of the project's resources, as kubectl explain does, without a cluster.",
  usage: "<resource>[.field...] [--api-version VERSION] [--recursive] [--output json|yaml]",
  options: { "api-version": { type: "string" }, recursive: { type: "boolean" }, ...OUTPUT_OPTION },
  about: {
    "api-version": "version of the resource, v1 or group/v1 (default: the one that is stored)",
    recursive: "every field below, without descriptions",
    ...OUTPUT_ABOUT,
  },
  examples: ["pintle explain storefronts", "pintle explain storefront.spec.replicas", "pintle explain storefront.spec --recursive"],
  words: 1,
  async run(args, io) {
    const { values, positionals } = args;
    const output = outputOf("explain", args);
    const [asked] = positionals;
    if (asked === undefined) {
      throw new CommandError("pintle explain: say one resource, and its fields after dots: pintle explain storefront.spec", 2);
    }
    const { resources } = await describe(await findProject(io.cwd));
    const found = fieldOf(resources, asked, values["api-version"] as string | undefined);
    if (output === undefined) return io.out(explanation(found, values["recursive"] === true));
    const { crd, version, fields: path, field: schema } = found;
    io.out(output({ group: crd.spec.group, kind: crd.spec.names.kind, version, path, schema }));
  },
};
