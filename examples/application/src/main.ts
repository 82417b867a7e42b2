import { run } from "pintle";
import { application } from "./application.ts";

await run({ controllers: [application] });
