import { readFileSync } from 'node:fs'
import { createEmulator, frozenClock } from './src/index.ts'
const dir = '../../examples/documents/'
await using e = await createEmulator({clock: frozenClock(), seed: 1})
for (const f of ['invoice.pdf','receipt.png']) {
const form = new FormData(); form.set('file', new File([readFileSync(dir+f)],f)); form.set('schema', f=='invoice.pdf'?readFileSync(dir+'invoice.schema.json','utf8'):'{"properties":{"receipt_number":{"type":"string"},"total":{"type":"number"},"date":{"type":"string","format":"date"}}}'); form.set('include_images','true')
const r = await e.extraction.fetch(e.extraction.baseUrl+'/v1/process',{method:'POST',body:form,headers:{'X-API-Key':e.extraction.apiKey}})
const j = await r.json() as any
await e.extraction.control.clock.advance(4000)
const g = await e.extraction.fetch(e.extraction.baseUrl+'/v1/jobs/'+j.id,{headers:{'X-API-Key':e.extraction.apiKey}})
const job = await g.json() as any
console.log(job.result?.text, JSON.stringify(job.result?.data ?? job,null,1), job.metadata)
}
