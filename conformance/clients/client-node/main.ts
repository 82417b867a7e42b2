/**
 * An operator on @kubernetes/client-node and its user in one program: prints what they observe of an API server to stdout, a
 * line per step. The only argument is the namespace; KUBECONFIG names the server.
 */
import { ApiextensionsV1Api, CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { definition } from "./memcached.ts";
import { startOperator } from "./operator.ts";
import { pollUntil, reportStep } from "./report.ts";
import { runUser } from "./user.ts";

const namespace = process.argv[2] as string;
const config = new KubeConfig();
config.loadFromDefault();

const core = config.makeApiClient(CoreV1Api);
await core.createNamespace({ body: { metadata: { name: namespace } } });
const namespaces = await core.listNamespace();
reportStep(
  "namespaces",
  namespaces.items.map(({ metadata }) => metadata?.name).filter((name) => name === "default" || name === namespace),
);

const extensions = config.makeApiClient(ApiextensionsV1Api);
await extensions.createCustomResourceDefinition({ body: definition });
const served = await pollUntil(
  "the kind is served",
  () => extensions.readCustomResourceDefinition({ name: definition.metadata?.name as string }),
  ({ status }) => status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false,
);
reportStep("definition", served);

const stop = await startOperator(config, namespace);
await runUser(config, namespace);
await stop();
