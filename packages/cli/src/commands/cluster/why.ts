import { type CommitExplanation, formatExplanation } from "pintle";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { formatWhyVerb } from "../../local-cluster/index.ts";
import { KUBECONFIG_DESCRIPTION, KUBECONFIG_OPTION, requireRunningCluster } from "./running-cluster.ts";

export const why: Command = {
  name: "why",
  summary: "Explain a commit of an object: the run that made it, and what caused that run, up to the request of a user.",
  usage: "<resource> <name> [--namespace NAME] [--field PATH | --revision N] [--kubeconfig FILE] [--output json|yaml]",
  options: {
    namespace: { type: "string", short: "n" },
    field: { type: "string" },
    revision: { type: "string" },
    ...KUBECONFIG_OPTION,
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    namespace: "namespace of the object (default: default)",
    field: "explain the commit that gave this field its present value, such as .spec.replicas (default: the last commit of the object)",
    revision: "explain the commit with this revision, a resourceVersion",
    ...KUBECONFIG_DESCRIPTION,
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle why deployment web",
    "pintle why deployments.apps web --field .spec.replicas",
    "pintle why pods web-6d4cf56db6-x2x5q -n shop --output json",
  ],
  maxPositionals: 2,
  async run(args, io) {
    const { values, positionals } = args;
    const output = outputFormatter(args);
    const [resource, name] = positionals.length === 1 ? (positionals[0] as string).split("/") : positionals;
    if (resource === undefined || name === undefined)
      throw new CommandError("PINTLE7004", "missing argument: name a resource and an object, for example: pintle why deployment web", 2);
    const revision = parseRevision(values["revision"] as string | undefined);
    const field = values["field"] as string | undefined;
    if (revision !== undefined && field !== undefined) throw new CommandError("PINTLE7006", "--field and --revision cannot be combined", 2);
    const cluster = await requireRunningCluster(args, io);
    const verb = formatWhyVerb({ resource, name, namespace: values["namespace"] as string | undefined, field, revision });
    const explanation = JSON.parse(await cluster.request(verb, io.signal)) as CommitExplanation;
    io.out(output === undefined ? `${formatExplanation(explanation)}\n` : output(explanation));
  },
};

function parseRevision(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,15}$/.test(text)) return Number(text);
  throw new CommandError("PINTLE7005", `invalid --revision "${text}": must be a revision such as an object's resourceVersion`, 2);
}
