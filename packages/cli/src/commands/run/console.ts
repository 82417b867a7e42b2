import type { Command, Io } from "../../command/index.ts";
import { forwardConsole } from "../../console/index.ts";
import { connectToCluster, READ_OPTION_DESCRIPTIONS, READ_OPTIONS } from "../../target-cluster/index.ts";
import { openOperator, resolveOperator } from "../trace/operator-target.ts";
import { cliVersion } from "../version.ts";

const CONSOLE_PORT = 8444;

export const consoleCommand: Command = {
  name: "console",
  summary: "Show the console of a running operator: what it does and why, read-only and by your own rights. Ends with Ctrl-C.",
  usage: "[--namespace NAME] [--deployment NAME | --pod NAME | --url URL] [--port PORT] [--local-port PORT] [--context NAME]",
  options: {
    namespace: { type: "string", short: "n" },
    deployment: { type: "string" },
    pod: { type: "string" },
    url: { type: "string" },
    port: { type: "string" },
    "local-port": { type: "string" },
    "service-account": { type: "string" },
    "no-browser": { type: "boolean" },
    ...READ_OPTIONS,
  },
  optionDescriptions: {
    namespace: "namespace of the operator (default: that of the project)",
    deployment: "Deployment of the operator, of which the leading pod is shown (default: that of the project)",
    pod: "show this pod",
    url: "show an operator on this machine, at the address of its console",
    port: `port of the console in the pod (default: ${CONSOLE_PORT})`,
    "local-port": "port on this machine (default: one that is free)",
    "service-account":
      "ServiceAccount in the operator's namespace by whose rights is shown, with a token that is valid for ten minutes (default: the kubeconfig's token)",
    "no-browser": "only print the URL",
    ...READ_OPTION_DESCRIPTIONS,
  },
  examples: [
    "pintle console --context prod",
    "pintle console -n shop-system --deployment shop-controller-manager",
    "pintle console --url https://127.0.0.1:8444",
    "pintle console -n shop-system --pod shop-controller-manager-5c9f --service-account viewer",
  ],
  async run(args, io) {
    const values = args.values as Readonly<Record<string, string | undefined>>;
    const target = await resolveOperator({ ...args, values: { ...args.values, port: values["port"] ?? String(CONSOLE_PORT) } }, io);
    await using cluster = await connectToCluster(args, io);
    const { endpoint } = await openOperator(target, cluster, io);
    const options = { port: values["local-port"], open: args.values["no-browser"] !== true && io.tty, version: cliVersion(), io };
    await using _console = await forwardConsole(endpoint, options);
    await waitForInterrupt(io);
  },
};

const waitForInterrupt = ({ signal }: Pick<Io, "signal">) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
