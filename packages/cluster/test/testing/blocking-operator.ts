/**
 * An operator whose reconcile blocks the event loop until a file exists, as a long computation would. A child process of the tests: it writes one
 * line per pass to its standard output. Arguments: the kubeconfig, and the file.
 */
import { existsSync, writeSync } from "node:fs";
import { controller, run } from "pintle";
import { ConfigMap, Secret } from "pintle/kinds/core/v1";

const [, , kubeconfig, released] = process.argv as [string, string, string, string];

/** Longer than the passes that count as short. */
const MINIMUM_MS = 100;
function block(pass: string): void {
  writeSync(1, `${pass}\n`);
  const started = performance.now();
  while (!existsSync(released) || performance.now() - started < MINIMUM_MS);
}

const selected = { "stop.example.com/reconciled": "true" };
const configs = controller(ConfigMap, {
  name: "configs",
  owns: [Secret],
  concurrency: 4,
  when: (_, now) => now?.metadata.labels?.["stop.example.com/reconciled"] === "true",
  reconcile({ object, want }) {
    block(`configs ${object.metadata.name}`);
    return want({ children: { copy: Secret.desired({ metadata: { name: object.metadata.name, labels: selected } }) } });
  },
});
const others = controller(ConfigMap, {
  name: "others",
  when: configs.when,
  async reconcile({ object, client }) {
    await client.get(ConfigMap, object.metadata);
    block(`others ${object.metadata.name}`);
  },
});

await run({ controllers: [configs, others], kubeconfig, health: "127.0.0.1:0" });
