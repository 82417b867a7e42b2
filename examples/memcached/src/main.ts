import { run } from "pintle";
import { memcached } from "./memcached.ts";
import { numbers } from "./numbers.ts";

await run({ controllers: [memcached], registry: numbers });
