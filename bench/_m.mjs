import { mkdtempSync, rmSync } from 'node:fs';
import { createHmac } from 'node:crypto';
import { clean46 } from './lib/ingest-events.mjs';
import { sanitiseJson, silentLogger } from '@culprit/core';
import { errortracker } from '@culprit/connectors/tracker';
import { receive } from '../packages/host/dist/edge/doors/receive.js';
import { WEBHOOK_ANSWERS } from '../packages/host/dist/edge/doors/answers.js';
import { createGuards } from '../packages/host/dist/edge/guards/guards.js';
import { EDGE_LIMITS } from '../packages/host/dist/edge/limits.js';
import { openSpool } from '../packages/host/dist/edge/spool/spool.js';
import { Session } from 'node:inspector';
import { whereTimeWent } from './edge/where-time-went.mjs';
const { crash } = clean46(new URL('../packages/core/test/fixtures/ingest/', import.meta.url));
const N=2048;
const reqs = Array.from({length:N},(_, i)=>{ const body=Buffer.from(JSON.stringify({...crash,event_id:i.toString(16).padStart(32,'0'),message:`crash number ${i}`}));
 return {method:'POST',path:'/webhook/errortracker',params:{connector:'errortracker'},query:{},headers:{'content-type':'application/json','user-agent':'x','tracker-hook-signature':createHmac('sha256','s').update(body).digest('hex')},remoteAddress:'127.0.0.1',body,receivedAt:Date.now()}; });
const {tracker} = await errortracker({secrets:[{project:'shop',secret:'s'}]}).setup({fetch,logger:silentLogger,signal:new AbortController().signal});
const dir = mkdtempSync('/tmp/h9m-');
const real = await openSpool({directory:dir, logger:silentLogger, limits:{bytes:2**36,deliveries:1e9}});
const none = { append: async()=>{} };
const limits={...EDGE_LIMITS,keyRate:1e9,keyBurst:1e9};
async function run(name, spool, profile){
  const guards=createGuards(limits);
  const ctx={guards,spool,sanitise:sanitiseJson,logger:silentLogger};
  const door={kind:'webhook',name:'errortracker',tracker,answers:WEBHOOK_ANSWERS};
  const pass=async()=>{ for(let i=0;i<N;i+=64) await Promise.all(reqs.slice(i,i+64).map(r=>receive(ctx,door,r))); };
  await pass(); await pass(); await pass();
  let s; if(profile){ s=new Session(); s.connect(); s.post('Profiler.enable'); s.post('Profiler.start'); }
  let best=1e9; for(let r=0;r<5;r++){ const t=process.cpuUsage(); await pass(); const d=process.cpuUsage(t); best=Math.min(best,(d.user+d.system)/N);} 
  console.log(name, best.toFixed(1),'us CPU per delivery');
  if(profile) s.post('Profiler.stop',(e,{profile})=>{ const w=whereTimeWent(profile); for(const f of w.places) console.log('   ',f.name,f.share); for(const f of w.functions.slice(0,22)) console.log('      ',f.name,f.share); });
}
await run('no disk', none);
await run('disk', real);
await run('disk profiled', real, true);
await real.close(); rmSync(dir,{recursive:true});
