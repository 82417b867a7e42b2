import { run } from "pintle";
import { website } from "./website.ts";

await run({ controllers: [website] });
