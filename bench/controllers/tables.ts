import { spread } from "../frame/spread.ts";
import type { Table } from "../frame/table.ts";

/** One run, as it is: a crowd settles once. */
export interface Settled {
  readonly start: { readonly answersMs: number; readonly readyMs: number };
  readonly deployments: number;
  readonly pods: number;
  readonly createdSeconds: number;
  readonly settledSeconds: number;
  readonly settledCpuSeconds: number;
  readonly eventsWrittenSeconds: number;
  readonly rest: { readonly cpuPercent: number; readonly rssMegabytes: number; readonly heapMegabytes: number };
}

export function tables({ deployments, pods, settledSeconds, settledCpuSeconds, eventsWrittenSeconds, rest }: Settled): readonly Table[] {
  const figures = {
    settled: spread([settledSeconds]),
    CPU: spread([settledCpuSeconds]),
    "events written": spread([eventsWrittenSeconds]),
    "CPU at rest": spread([rest.cpuPercent]),
    RSS: spread([rest.rssMegabytes]),
  };
  return [
    {
      title: "The embedded cluster's controllers",
      columns: [
        { name: "settled", unit: "s", better: "less", digits: 1 },
        { name: "CPU", unit: "s", better: "less", digits: 1 },
        { name: "events written", unit: "s", better: "less", digits: 1 },
        { name: "CPU at rest", unit: "%", better: "less", digits: 1 },
        { name: "RSS", unit: "MB", better: "less", digits: 0 },
      ],
      rows: [{ case: `${deployments} Deployments, ${pods} pods`, side: "pintle", figures }],
    },
  ];
}
