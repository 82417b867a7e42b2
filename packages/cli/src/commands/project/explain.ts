import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { describeProject, findProject } from "../../project/index.ts";
import { formatExplanation, resolveField } from "./explain-field.ts";

export const explain: Command = {
  name: "explain",
  summary: "Print the fields of the project's resources, as kubectl explain does, without a cluster.",
  usage: "<resource>[.field...] [--api-version VERSION] [--recursive] [--output json|yaml]",
  options: { "api-version": { type: "string" }, recursive: { type: "boolean" }, ...OUTPUT_OPTION },
  optionDescriptions: {
    "api-version": "version of the resource, v1 or group/v1 (default: the storage version)",
    recursive: "print all nested fields, without descriptions",
    ...OUTPUT_DESCRIPTION,
  },
  examples: ["pintle explain storefronts", "pintle explain storefront.spec.replicas", "pintle explain storefront.spec --recursive"],
  maxPositionals: 1,
  async run(args, io) {
    const { values, positionals } = args;
    const output = outputFormatter(args);
    const [fieldPath] = positionals;
    if (fieldPath === undefined) {
      throw new CommandError("PINTLE7004", "missing resource argument, for example: pintle explain storefront.spec", 2);
    }
    const { resources } = await describeProject(await findProject(io.cwd));
    const found = resolveField(resources, fieldPath, values["api-version"] as string | undefined);
    if (output === undefined) return io.out(formatExplanation(found, values["recursive"] === true));
    const { crd, version, fields: path, field: schema } = found;
    io.out(output({ group: crd.spec.group, kind: crd.spec.names.kind, version, path, schema }));
  },
};
