import { goldenOf, readGolden, transcript } from "../../packages/cluster/test/kubectl/golden.ts";
import { chapters, goldenFile } from "./chapters.ts";
const [minor, ...names] = process.argv.slice(2);
for (const c of await chapters(names)) console.log(transcript(goldenOf(await readGolden(goldenFile(c)), minor!)));
