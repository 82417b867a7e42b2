import type { Clock } from "pintle/internal/clock";
import { canonicalizeQuantity, parseQuantity, scaleByPowerOfTen } from "pintle/internal/merge";
import type { Json, JsonObject } from "pintle/kinds";
import { formatTimestamp, getMetadata, type ServedResource, type TablePrinter } from "../../api/index.ts";
import type { ResourceUsage } from "../../node/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import type { NodeRegistry } from "../node-registry.ts";
import { METRICS_GROUP, METRICS_VERSION } from "./metrics-schemas.ts";

const WINDOW = "10s";

export interface MetricsResourceOptions {
  readonly nodes: NodeRegistry;
  readonly store: ObjectStore;
  readonly clock: Clock;
}

/** Creates the resources of metrics.k8s.io, which read the usage from the nodes of this process on every request. */
export function createMetricsResources({ nodes, store, clock }: MetricsResourceOptions): readonly ServedResource[] {
  const readLabels = async (key: string) => {
    const object = (await store.get(key))?.value as JsonObject | undefined;
    return object && { labels: getMetadata(object).labels };
  };
  const buildMetrics = (kind: string, metadata: JsonObject): JsonObject => {
    const now = formatTimestamp(clock.now());
    return {
      kind,
      apiVersion: `${METRICS_GROUP}/${METRICS_VERSION}`,
      metadata: { ...metadata, creationTimestamp: now },
      timestamp: now,
      window: WINDOW,
    };
  };
  const listNodeMetrics = async () => {
    const results = await Promise.all(
      [...(await nodes.all())].map(async ([name, streams]) => {
        const metadata = await readLabels(`/registry/minions/${name}`);
        if (metadata === undefined) return [];
        const { node } = await streams.usage();
        return [{ ...buildMetrics("NodeMetrics", { name, ...metadata }), usage: toQuantities(node) }];
      }),
    );
    return results.flat().sort(compareNames);
  };
  const listPodMetrics = async () => {
    const results = await Promise.all(
      [...(await nodes.all()).values()].map(async (streams) => {
        const { pods } = await streams.usage();
        return Promise.all(
          pods.map(async ({ namespace, pod, containers }) => {
            const metadata = await readLabels(`/registry/pods/${namespace}/${pod}`);
            if (metadata === undefined) return [];
            const usages = Object.entries(containers).map(([name, usage]) => ({ name, usage: toQuantities(usage) }));
            return [{ ...buildMetrics("PodMetrics", { name: pod, namespace, ...metadata }), containers: usages }];
          }),
        );
      }),
    );
    return results.flat(2).sort(compareNames);
  };
  return [
    buildResource("nodes", "NodeMetrics", "Cluster", listNodeMetrics, ({ usage }) => usage as UsageQuantities),
    buildResource("pods", "PodMetrics", "Namespaced", listPodMetrics, ({ containers }) =>
      sumQuantities((containers as unknown as readonly { readonly usage: UsageQuantities }[]).map(({ usage }) => usage)),
    ),
  ];
}

type UsageQuantities = { readonly cpu: string; readonly memory: string };

const toQuantities = ({ cpuNanoCores, memoryBytes }: ResourceUsage): UsageQuantities => ({
  cpu: formatQuantity(BigInt(Math.round(cpuNanoCores)), "n"),
  memory: formatQuantity(BigInt(Math.round(memoryBytes / 1024)), "Ki"),
});

function sumQuantities(all: readonly UsageQuantities[]): UsageQuantities {
  const total = (of: (usages: UsageQuantities) => string) => all.reduce((sum, usages) => sum + parseNanos(of(usages)), 0n);
  return {
    cpu: formatQuantity(
      total(({ cpu }) => cpu),
      "n",
    ),
    memory: formatQuantity(total(({ memory }) => memory) / (1024n * NANOS_PER_UNIT), "Ki"),
  };
}

const NANOS_PER_UNIT = 10n ** 9n;
const formatQuantity = (count: bigint, unit: string): string => canonicalizeQuantity(`${count}${unit}`) ?? "0";

function parseNanos(text: string): bigint {
  const { mantissa, exponent } = parseQuantity(text) ?? { mantissa: 0n, exponent: 0 };
  return scaleByPowerOfTen(mantissa, exponent + 9);
}

function compareNames(a: JsonObject, b: JsonObject): number {
  const [one, other] = [a, b].map((each) => `${getMetadata(each).namespace ?? ""}/${getMetadata(each).name}`) as [string, string];
  return one < other ? -1 : one > other ? 1 : 0;
}

function buildResource(
  plural: string,
  kind: string,
  scope: ServedResource["scope"],
  computeObjects: () => Promise<readonly JsonObject[]>,
  usageOf: (object: JsonObject) => UsageQuantities,
): ServedResource {
  return {
    group: METRICS_GROUP,
    version: METRICS_VERSION,
    kind,
    listKind: `${kind}List`,
    plural,
    singular: "",
    shortNames: [],
    categories: [],
    scope,
    verbs: ["get", "list"],
    storage: { prefix: `/registry/${METRICS_GROUP}/${plural}`, version: METRICS_VERSION },
    schema: { prune: (object) => ({ object, unknown: [] }), default: (object) => object, validate: () => [], shape: {} as never },
    strategy: { generation: "none", allowUnconditionalUpdate: false, allowCreateOnUpdate: false },
    subresources: [],
    table: buildTablePrinter(usageOf),
    computeObjects,
    typed: false,
  };
}

function buildTablePrinter(usageOf: (object: JsonObject) => UsageQuantities): TablePrinter {
  const column = (name: string, format = "") => ({ name, type: "string" as const, format, description: "", priority: 0 });
  return {
    columns: [column("Name", "name"), column("cpu"), column("memory"), column("Window")],
    cells(object): readonly Json[] {
      const { cpu, memory } = usageOf(object);
      return [getMetadata(object).name ?? "", cpu, memory, object["window"] ?? ""];
    },
  };
}
