import { run } from "pintle";
import { backup } from "./backup-controller.ts";
import { etcd } from "./cluster-controller.ts";
import { restore } from "./restore-controller.ts";

await run({ controllers: [etcd, backup, restore] });
