// Runs one generator on one document, and prints the time and memory it took: generator-process.mjs NAME INPUT FOLDER
import { writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const [name, input, folder] = process.argv.slice(2)
const print = console.log
// The generators print their progress to stdout.
for (const method of ['log', 'info', 'warn', 'debug']) console[method] = () => undefined

const generators = {
  async concord() {
    const { generate } = await import('@concord/generate')
    const service = {
      name: 'compared',
      openapi: relative(dirname(folder), input),
      output: relative(dirname(folder), folder),
      isolatedDeclarations: true,
    }
    const generated = await generate({ services: [service] }, dirname(folder))
    generated.write()
  },
  async 'openapi-typescript'() {
    const { default: openapi, astToString } = await import('openapi-typescript')
    writeFileSync(join(folder, 'types.ts'), astToString(await openapi(new URL(`file://${input}`))))
  },
  async '@hey-api/openapi-ts'() {
    const { createClient } = await import('@hey-api/openapi-ts')
    const plugins = ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch', 'zod']
    await createClient({ input, output: { path: folder }, plugins, logs: { level: 'silent', file: false } })
  },
  async orval() {
    const { generate } = await import('orval')
    const output = (client, target) => ({ target: join(folder, target), client, mode: 'single' })
    await generate({ input: { target: input }, output: output('fetch', 'client.ts') })
    await generate({ input: { target: input }, output: output('zod', 'zod.ts') })
  },
  async kubb() {
    const { build } = await import('@kubb/core')
    const { pluginOas } = await import('@kubb/plugin-oas')
    const { pluginTs } = await import('@kubb/plugin-ts')
    const { pluginZod } = await import('@kubb/plugin-zod')
    const { pluginClient } = await import('@kubb/plugin-client')
    const plugins = [
      pluginOas({ validate: false, generators: [] }),
      pluginTs({ output: { path: 'types' } }),
      pluginZod({ output: { path: 'zod' } }),
      pluginClient({ output: { path: 'client' }, client: 'fetch' }),
    ]
    const config = { root: folder, input: { path: input }, output: { path: folder, clean: false }, plugins }
    const { error, failedPlugins } = await build({ config })
    if (error) throw error
    const [failed] = failedPlugins ?? []
    if (failed) throw failed.error
  },
}

try {
  await generators[name]()
  print(JSON.stringify({ megabytes: Math.round(process.resourceUsage().maxRSS / 1024) }))
} catch (error) {
  print(
    JSON.stringify({
      rejected: String(error?.message ?? error)
        .split('\n')[0]
        .slice(0, 200),
    }),
  )
}
process.exit()
