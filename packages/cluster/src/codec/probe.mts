import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { decodeProtobuf, decodeJson } from "./index.ts";
const dir="/root/go/pkg/mod/k8s.io/api@v0.36.3/testdata/HEAD/";
let ok=0,bad=0,skip:string[]=[];
for (const f of fs.readdirSync(dir).filter(f=>f.endsWith(".pb"))) {
  const j=decodeJson(fs.readFileSync(dir+f.replace(/pb$/,"json"),"utf8")).value as any;
  let d; try { d=decodeProtobuf(fs.readFileSync(dir+f)); } catch(e) { skip.push(f+" "+(e as Error).message); continue; }
  if (isDeepStrictEqual(d.object,j)) ok++; else { bad++; if(bad<6){ diff(d.object,j,f);} }
}
function diff(a:any,b:any,p:string){ if(isDeepStrictEqual(a,b)) return; if(a&&b&&typeof a==="object"&&typeof b==="object"){ for(const k of new Set([...Object.keys(a),...Object.keys(b)])) diff(a[k],b[k],p+"."+k);} else console.log(p,"got",a,"want",b); }
console.log(ok,bad,skip.length); console.log(skip.filter(s=>/\.v\d+\./.test(s)).join("\n"));
