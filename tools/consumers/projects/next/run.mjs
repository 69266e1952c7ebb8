// Builds and starts the application, and calls its page and its routes.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'

copyFileSync('../shared/flow.mjs', 'flow.mjs')
rmSync('.next', { recursive: true, force: true })
// Next 16 itself fails to build an edge route with webpack when the application has pages too.
const routes = process.argv.includes('--webpack') ? ['node'] : ['node', 'edge']
if (!routes.includes('edge')) rmSync('app/api/edge', { recursive: true, force: true })
const next = '../node_modules/next/dist/bin/next'
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }
const built = spawnSync(process.execPath, [next, 'build', ...process.argv.slice(2)], {
  env,
  encoding: 'utf8',
})
assert.equal(built.status, 0, built.stdout + built.stderr)

const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address()
    probe.close(() => resolve(String(port)))
  })
})
const server = spawn(process.execPath, [next, 'start', '-H', '127.0.0.1', '-p', port], { env })
try {
  await new Promise((resolve, reject) => {
    server.stdout.on('data', (text) => String(text).includes('Ready') && resolve())
    server.stderr.on('data', (text) => process.stderr.write(text))
    server.on('exit', reject)
  })
  const origin = `http://127.0.0.1:${port}`
  assert.match(await (await fetch(origin)).text(), /action: (<!-- -->)?all good/)
  for (const route of routes) {
    const form = new FormData()
    form.append(
      'file',
      new File([readFileSync('../shared/receipt.png')], 'receipt.png', { type: 'image/png' }),
    )
    const response = await fetch(`${origin}/api/${route}`, { method: 'POST', body: form })
    assert.equal(await response.text(), 'all good', route)
  }
  console.log('all good')
} finally {
  server.kill()
}
