import { isDeepStrictEqual } from "node:util";
import { decodeProtobuf, decodeJson } from "./index.ts";
import { publishedGroupVersions } from "../builtin/published/index.ts";
const base="http://127.0.0.1:18701";
const get=async(p:string,accept:string)=>{const r=await fetch(base+p,{headers:{accept}}); if(!r.ok) throw new Error(p+" "+r.status+await r.text()); return Buffer.from(await r.arrayBuffer());};
let ok=0,bad=0; const per:Record<string,number>={};
for (const gv of publishedGroupVersions()) for (const r of gv.resources) { if(!r.verbs.includes("list")) continue;
  const root=gv.group===""?`/api/${gv.version}`:`/apis/${gv.group}/${gv.version}`;
  const list=JSON.parse((await get(`${root}/${r.name}`,"application/json")).toString()) as any;
  for (const item of list.items) { const p=`${root}/${item.metadata.namespace?`namespaces/${item.metadata.namespace}/`:""}${r.name}/${encodeURIComponent(item.metadata.name)}`;
    for(let i=0;;i++){ const j=decodeJson((await get(p,"application/json")).toString()).value; const d=decodeProtobuf(await get(p,"application/vnd.kubernetes.protobuf"));
      if(isDeepStrictEqual(d.object,j)) {ok++; per[r.kind]=(per[r.kind]??0)+1;break;} if(i<3&&(j as any).metadata.resourceVersion!==(d.object as any).metadata.resourceVersion) continue; bad++; diff(d.object,j,p); break;} } }
function diff(a:any,b:any,p:string){ if(isDeepStrictEqual(a,b)) return; if(a&&b&&typeof a==="object"&&typeof b==="object"){ for(const k of new Set([...Object.keys(a),...Object.keys(b)])) diff(a[k],b[k],p+"."+k);} else console.log(p,"got",a,"want",b); }
console.log(ok,bad,Object.keys(per).length,JSON.stringify(per));
