import { run } from "pintle";
import { memcached } from "./memcached.ts";

await run({ controllers: [memcached] });
