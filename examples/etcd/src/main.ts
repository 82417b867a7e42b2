import { run } from "pintle";
import { etcd } from "./etcd.ts";

await run({ controllers: [etcd] });
