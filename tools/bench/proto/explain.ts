import { db, PrismaStore } from './prisma.ts';
import { makeTexts } from '../src/search/texts.ts';
import { readConversations } from '../src/recall/conversation.ts';
import { Client } from 'pg';
const N=Number(process.argv[2]??0);
const {prisma,url,stop}=await db('pg');
const store=new PrismaStore({prisma,name:'b'});
let qs:string[];
if(N===0){const c=readConversations('/work/shared/data/locomo-dev')[0]!;await store.putMany(c.entries as any);qs=c.questions.map(q=>q.text)}
else {const {entries,queries}=makeTexts(N);for(let i=0;i<N;i+=1000)await store.putMany(entries.slice(i,i+1000) as any);qs=[...queries]}
const c=new Client(url);await c.connect();await c.query('vacuum analyze keepsake_records');
const orig=prisma.$queryRawUnsafe.bind(prisma);
let last:any[]=[];
prisma.$queryRawUnsafe=(async(sql:string,...v:any[])=>{const t=performance.now();const r=await orig(sql,...v);last.push([sql,v,performance.now()-t,process.cpuUsage()]);return r}) as any;
const st:number[]=[];const cpu:number[]=[];
for(const q of qs.slice(0,60)){last=[];const t=performance.now();const c0=process.cpuUsage();await store.search(q,{maxSearchResults:5});st.push(performance.now()-t);const d=process.cpuUsage(c0);cpu.push((d.user+d.system)/1000)}
const med=(a:number[])=>[...a].sort((x,y)=>x-y)[a.length>>1]!.toFixed(1);
console.log('wall median',med(st),'client cpu median',med(cpu),'statements',last.map(l=>l[2].toFixed(1)));
for(const q of qs.slice(5,9)){last=[];await store.search(q,{maxSearchResults:5});const [sql,v]=last.find(l=>l[0].startsWith('WITH'))!;
const e=await c.query('explain (analyze, buffers off, timing on) '+sql,v);
const lines=e.rows.map(r=>r['QUERY PLAN']);console.log(q,v.length,'values',sql.length,lines.filter(l=>/Planning Time|Execution Time|JIT|Timing/.test(l)).join(' '));
if(process.argv[3])console.log(lines.join('\n').slice(0,9000));}
await c.end();await stop();
