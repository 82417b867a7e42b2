import { run } from "pintle";
import { Plan } from "./plan.ts";
import { tenant } from "./tenant.ts";

await run({ controllers: [tenant], resources: [Plan] });
