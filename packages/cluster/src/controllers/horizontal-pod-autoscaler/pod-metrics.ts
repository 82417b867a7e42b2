import { type Client, NotFound, RequestError } from "pintle/client";
import { parseGoDuration } from "pintle/internal/go-format";
import { parseQuantity, scaleByPowerOfTen } from "pintle/internal/merge";

/** The usage of one pod: a value in thousandths, averaged over the window before the timestamp. */
export interface PodMetric {
  readonly value: bigint;
  readonly timestamp: number;
  /** In milliseconds. */
  readonly window: number;
}
export type PodMetrics = ReadonlyMap<string, PodMetric>;

/** A metric that cannot be read or used; the message is part of conditions and events. */
export class MetricError extends Error {
  override readonly name = "MetricError";
}

interface PodMetricsItem {
  readonly metadata: { readonly name: string };
  readonly timestamp: string;
  readonly window: string;
  readonly containers?: readonly { readonly name: string; readonly usage: Readonly<Record<string, string>> }[];
}

/** Reads the usage of a resource by the pods of a selector, or by one container of each, from metrics.k8s.io. Throws `MetricError`. */
export async function readResourceMetrics(
  client: Pick<Client, "request">,
  { namespace, selector, resource, container }: { namespace: string; selector: string; resource: string; container: string | undefined },
): Promise<PodMetrics> {
  const items = await listPodMetrics(client, namespace, selector);
  if (items.length === 0) throw new MetricError("no metrics returned from resource metrics API");
  const metrics = new Map<string, PodMetric>();
  for (const { metadata, timestamp, window, containers = [] } of items) {
    const measured = container === undefined ? containers : containers.filter(({ name }) => name === container);
    const usages = measured.map(({ usage }) => usage[resource]);
    if (usages.length === 0 || usages.includes(undefined)) continue;
    metrics.set(metadata.name, {
      value: usages.reduce((sum, usage) => sum + toMilli(usage!), 0n),
      timestamp: Date.parse(timestamp),
      window: parseWindow(window),
    });
  }
  return metrics;
}

async function listPodMetrics(client: Pick<Client, "request">, namespace: string, selector: string): Promise<readonly PodMetricsItem[]> {
  try {
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`;
    const response = await client.request({ method: "GET", path, query: { labelSelector: selector } });
    return ((await response.json()) as { readonly items?: readonly PodMetricsItem[] }).items ?? [];
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const isUnserved = error instanceof NotFound && error.isUnservedKind;
    const why = isUnserved
      ? "the server could not find the requested resource (get pods.metrics.k8s.io)"
      : (error.status?.message ?? error.message);
    throw new MetricError(`unable to fetch metrics from resource metrics API: ${why}`);
  }
}

/** Parses a duration such as "1m0s" or "20.1s". Returns milliseconds. */
function parseWindow(duration: string): number {
  const parsed = parseGoDuration(duration);
  return "error" in parsed ? 0 : Number(parsed.nanoseconds) / 1e6;
}

/** Returns a quantity in thousandths, rounded up as Go does. */
export function toMilli(quantity: string): bigint {
  const { mantissa, exponent } = parseQuantity(quantity) ?? { mantissa: 0n, exponent: 0 };
  const shift = exponent + 3;
  if (shift >= 0) return scaleByPowerOfTen(mantissa, shift);
  const divisor = 10n ** BigInt(-shift);
  const quotient = mantissa / divisor;
  return mantissa > 0n && mantissa % divisor !== 0n ? quotient + 1n : quotient;
}
