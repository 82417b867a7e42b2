import { run } from "pintle";
import { backup } from "./backup.ts";
import { etcd } from "./etcd.ts";
import { restore } from "./restore.ts";

await run({ controllers: [etcd, backup, restore] });
