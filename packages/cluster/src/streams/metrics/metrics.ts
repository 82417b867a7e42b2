import type { Json, JsonObject } from "pintle/kinds";
import { normalQuantity, quantity } from "pintle/merge";
import type { Clock } from "pintle/queue";
import { metadataOf, type ServedResource, type TablePrinter, timestamp } from "../../api/index.ts";
import type { Usage } from "../../node/index.ts";
import type { Store } from "../../store/index.ts";
import type { NodeRegistry } from "../registry.ts";
import { GROUP, VERSION } from "./group.ts";

const WINDOW = "10s";

export interface MetricsOptions {
  readonly nodes: NodeRegistry;
  readonly store: Store;
  readonly clock: Clock;
}

/** metrics.k8s.io: what nodes and pods use now, asked of the nodes of this process whenever somebody wants to know. */
export function metricsResources({ nodes, store, clock }: MetricsOptions): readonly ServedResource[] {
  const labelsOf = async (key: string) => {
    const object = (await store.get(key))?.value as JsonObject | undefined;
    return object && { labels: metadataOf(object).labels };
  };
  const reported = (kind: string, metadata: JsonObject): JsonObject => {
    const now = timestamp(clock.now());
    return { kind, apiVersion: `${GROUP}/${VERSION}`, metadata: { ...metadata, creationTimestamp: now }, timestamp: now, window: WINDOW };
  };
  const nodeMetrics = async () => {
    const found = await Promise.all(
      [...(await nodes.all())].map(async ([name, streams]) => {
        const known = await labelsOf(`/registry/minions/${name}`);
        if (known === undefined) return [];
        const { node } = await streams.usage();
        return [{ ...reported("NodeMetrics", { name, ...known }), usage: quantities(node) }];
      }),
    );
    return found.flat().sort(byName);
  };
  const podMetrics = async () => {
    const found = await Promise.all(
      [...(await nodes.all()).values()].map(async (streams) => {
        const { pods } = await streams.usage();
        return Promise.all(
          pods.map(async ({ namespace, pod, containers }) => {
            const known = await labelsOf(`/registry/pods/${namespace}/${pod}`);
            if (known === undefined) return [];
            const shown = Object.entries(containers).map(([name, usage]) => ({ name, usage: quantities(usage) }));
            return [{ ...reported("PodMetrics", { name: pod, namespace, ...known }), containers: shown }];
          }),
        );
      }),
    );
    return found.flat(2).sort(byName);
  };
  return [
    served("nodes", "NodeMetrics", "Cluster", nodeMetrics, ({ usage }) => usage as Shown),
    served("pods", "PodMetrics", "Namespaced", podMetrics, ({ containers }) =>
      summed((containers as unknown as readonly { readonly usage: Shown }[]).map(({ usage }) => usage)),
    ),
  ];
}

type Shown = { readonly cpu: string; readonly memory: string };

const quantities = ({ cpuNanoCores, memoryBytes }: Usage): Shown => ({
  cpu: written(BigInt(Math.round(cpuNanoCores)), "n"),
  memory: written(BigInt(Math.round(memoryBytes / 1024)), "Ki"),
});

function summed(all: readonly Shown[]): Shown {
  const total = (of: (shown: Shown) => string) => all.reduce((sum, shown) => sum + nanos(of(shown)), 0n);
  return {
    cpu: written(
      total(({ cpu }) => cpu),
      "n",
    ),
    memory: written(total(({ memory }) => memory) / (1024n * ONE), "Ki"),
  };
}

const ONE = 10n ** 9n;
const written = (count: bigint, unit: string): string => normalQuantity(`${count}${unit}`) ?? "0";

function nanos(text: string): bigint {
  const [mantissa = "0", exponent = "0"] = (quantity(text) ?? "0").split("e");
  return BigInt(mantissa) * 10n ** BigInt(Number(exponent) + 9);
}

function byName(a: JsonObject, b: JsonObject): number {
  const [one, other] = [a, b].map((each) => `${metadataOf(each).namespace ?? ""}/${metadataOf(each).name}`) as [string, string];
  return one < other ? -1 : one > other ? 1 : 0;
}

function served(
  plural: string,
  kind: string,
  scope: ServedResource["scope"],
  look: () => Promise<readonly JsonObject[]>,
  usageOf: (object: JsonObject) => Shown,
): ServedResource {
  return {
    group: GROUP,
    version: VERSION,
    kind,
    listKind: `${kind}List`,
    plural,
    singular: "",
    shortNames: [],
    categories: [],
    scope,
    verbs: ["get", "list"],
    storage: { prefix: `/registry/${GROUP}/${plural}`, version: VERSION },
    schema: { prune: (object) => ({ object, unknown: [] }), default: (object) => object, validate: () => [], shape: {} as never },
    strategy: { generation: "none", unconditionalUpdate: false, createOnUpdate: false },
    subresources: [],
    table: table(usageOf),
    look,
    typed: false,
  };
}

function table(usageOf: (object: JsonObject) => Shown): TablePrinter {
  const column = (name: string, format = "") => ({ name, type: "string" as const, format, description: "", priority: 0 });
  return {
    columns: [column("Name", "name"), column("cpu"), column("memory"), column("Window")],
    cells(object): readonly Json[] {
      const { cpu, memory } = usageOf(object);
      return [metadataOf(object).name ?? "", cpu, memory, object["window"] ?? ""];
    },
  };
}
