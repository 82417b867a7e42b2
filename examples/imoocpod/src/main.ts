import { run } from "pintle";
import { imoocPod } from "./imoocpod.ts";

await run({ controllers: [imoocPod] });
