import { readdirSync, readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { startPostgres } from '@keepsake/services';
import { createClient } from '@libsql/client';
import { PrismaLibSql } from '@prisma/adapter-libsql';
import { PrismaPg } from '@prisma/adapter-pg';
import { Client } from 'pg';
import { PrismaClient } from '../../../packages/prisma/test/generated/postgresql/client.ts';
import { PrismaClient as SqliteClient } from '../../../packages/prisma/test/generated/sqlite/client.ts';
import { PrismaStore } from '../../../packages/prisma/src/index.ts';
const root=new URL('../../../packages/prisma/migrations/',import.meta.url).pathname;
const mig=(d:string)=>readdirSync(root+d).sort().map(f=>readFileSync(root+d+'/'+f,'utf8'));
export async function db(kind:string){
  if(kind==='pg'){const server=await startPostgres({own:true});const c=new Client(server.url);await c.connect();for(const m of mig('postgresql'))await c.query(m);await c.end();
    const prisma=new PrismaClient({adapter:new PrismaPg({connectionString:server.url})});return {prisma,url:server.url,stop:async()=>{await prisma.$disconnect();await server.stop()}};}
  const dir=mkdtempSync('/tmp/proto-');const url='file:'+dir+'/x.db';const c=createClient({url});await c.execute('PRAGMA journal_mode=WAL');for(const m of mig('sqlite'))await c.executeMultiple(m);c.close();
  const prisma=new SqliteClient({adapter:new PrismaLibSql({url})});return {prisma:prisma as any,url,stop:async()=>{await prisma.$disconnect();rmSync(dir,{recursive:true})}};
}
export {PrismaStore};
