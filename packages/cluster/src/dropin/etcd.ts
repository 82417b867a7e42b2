import { main } from "./etcd/main.ts";

await main(process.argv.slice(2));
