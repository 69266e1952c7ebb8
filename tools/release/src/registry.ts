import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

import { root } from './workspace-copy.ts'

/** A package registry on this machine. */
export interface Registry {
  /** Ends with a slash. */
  readonly url: string
  /**
   * Environment variables that make npm, pnpm, Yarn and Bun use this registry and a separate home folder. So these
   * programs neither read nor change the user's configuration.
   */
  readonly environment: NodeJS.ProcessEnv
  /** Stops the registry and deletes everything in it. */
  close(): Promise<void>
}

export interface RegistryOptions {
  /**
   * Whether the local registry fetches other packages from the registry in npm's configuration. By default, the local
   * registry contains only the packages that were published to it, and works offline.
   */
  readonly proxied?: boolean
  /** Names of packages that the registry rejects when they are published. */
  readonly denied?: readonly string[]
}

/** Starts a registry on a free port of the loopback interface. */
export async function startRegistry({
  proxied = false,
  denied = [],
}: RegistryOptions = {}): Promise<Registry> {
  const folder = mkdtempSync(join(tmpdir(), 'concord-registry-'))
  const server = fork(join(import.meta.dirname, 'serve-registry.ts'), {
    stdio: ['ignore', 2, 2, 'ipc'],
    execArgv: [],
  })
  const ended = once(server, 'exit')
  const close = async (): Promise<void> => {
    server.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  server.send(configuration(folder, proxied, denied))
  const started = await Promise.race([once(server, 'message'), ended.then(() => undefined)])
  if (!started) {
    await close()
    throw new Error('The local registry stopped while it was starting. See its output above.')
  }
  const url = `http://127.0.0.1:${String(started[0])}/`
  return { url, environment: clientEnvironment(folder, url), close }
}

function configuration(folder: string, proxied: boolean, denied: readonly string[]): object {
  const everyone = {
    access: '$all',
    publish: '$all',
    unpublish: '$all',
    ...(proxied ? { proxy: 'npm' } : {}),
  }
  return {
    storage: join(folder, 'storage'),
    configPath: join(folder, 'config.yaml'),
    uplinks: proxied ? { npm: configuredRegistry() } : {},
    packages: {
      ...Object.fromEntries(denied.map((name) => [name, { ...everyone, publish: 'nobody' }])),
      // Our own packages are never fetched from the registry in npm's configuration.
      '@concord/*': { ...everyone, proxy: undefined },
      '**': everyone,
    },
    web: { enable: false },
    max_body_size: '100mb',
    log: { type: 'stdout', format: 'pretty', level: 'error' },
  }
}

function configuredRegistry(): object {
  const read = (name: string) => execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim()
  const cafile = read('cafile')
  return {
    url: read('registry'),
    ...(cafile === '' || cafile === 'null' ? {} : { ca: readFileSync(cafile, 'utf8') }),
    maxage: '10m',
    // By default, after two failed requests, Verdaccio stops using the configured registry for five minutes, and
    // reports that the registry's packages are missing.
    max_fails: 100,
    fail_timeout: '1s',
  }
}

function clientEnvironment(folder: string, url: string): NodeJS.ProcessEnv {
  const home = join(folder, 'home')
  mkdirSync(home)
  // Clients require a token for publishing. The registry accepts any token.
  const token = `${url.replace('http:', '')}:_authToken="any"\n`
  writeFileSync(
    join(home, '.npmrc'),
    `registry=${url}\n${token}audit=false\nfund=false\nupdate-notifier=false\n`,
  )
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm|pnpm|yarn|bun|xdg)_|^(?:INIT_CWD|NODE_OPTIONS)$/i.test(name),
  )
  return {
    ...Object.fromEntries(inherited),
    // Some commands start `pnpm` and `changeset` by name.
    PATH: [join(root, 'node_modules', '.bin'), process.env['PATH']].join(delimiter),
    HOME: home,
    USERPROFILE: home,
    NO_PROXY: '127.0.0.1',
    npm_config_registry: url,
    pnpm_config_registry: url,
    // pnpm could otherwise fail in a copy of the workspace, which doesn't contain the installed dependencies.
    pnpm_config_verify_deps_before_run: 'false',
    npm_config_userconfig: join(home, '.npmrc'),
    npm_config_cache: join(home, '.npm'),
    YARN_NPM_REGISTRY_SERVER: url,
    YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    YARN_ENABLE_TELEMETRY: '0',
    BUN_CONFIG_REGISTRY: url,
    GIT_AUTHOR_NAME: 'Concord',
    GIT_AUTHOR_EMAIL: 'release@concord.invalid',
    GIT_COMMITTER_NAME: 'Concord',
    GIT_COMMITTER_EMAIL: 'release@concord.invalid',
  }
}
