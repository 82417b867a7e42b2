/**
 * An operator on @kubernetes/client-node, and its user, in one program: what they see of an API server goes to stdout, a
 * line per step. The namespace comes as the only argument, the server as KUBECONFIG.
 */
import { ApiextensionsV1Api, CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { definition } from "./memcached.ts";
import { startOperator } from "./operator.ts";
import { eventually, say } from "./say.ts";
import { user } from "./user.ts";

const namespace = process.argv[2] as string;
const config = new KubeConfig();
config.loadFromDefault();

const core = config.makeApiClient(CoreV1Api);
await core.createNamespace({ body: { metadata: { name: namespace } } });
const namespaces = await core.listNamespace();
say(
  "namespaces",
  namespaces.items.map(({ metadata }) => metadata?.name).filter((name) => name === "default" || name === namespace),
);

const extensions = config.makeApiClient(ApiextensionsV1Api);
await extensions.createCustomResourceDefinition({ body: definition });
const served = await eventually(
  "the kind is served",
  () => extensions.readCustomResourceDefinition({ name: definition.metadata?.name as string }),
  ({ status }) => status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false,
);
say("definition", served);

const stop = await startOperator(config, namespace);
await user(config, namespace);
await stop();
