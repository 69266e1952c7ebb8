import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

import { Extractor, ExtractorConfig } from '@microsoft/api-extractor'

import { root } from '../workspace.ts'

interface EntryPoint {
  readonly packageFolder: string
  /** The entry point's name, such as `index` or `node`. */
  readonly entry: string
  /** The absolute path of the declaration file. */
  readonly declarations: string
}

/** Returns the path of an entry point's committed report, relative to the root. */
export function reportOf({ packageFolder, entry }: EntryPoint): string {
  return `docs/api/${basename(packageFolder)}${entry === 'index' ? '' : `-${entry.replaceAll('/', '-')}`}.api.md`
}

/** Returns a package's entry points that have declarations. */
export function entryPoints(packageFolder: string): EntryPoint[] {
  const manifest = JSON.parse(readFileSync(join(root, packageFolder, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { import?: { types?: string } }>
  }
  return Object.entries(manifest.exports).flatMap(([name, target]) => {
    // Internal entries aren't part of the public surface.
    const types = typeof target === 'string' ? undefined : target.import?.types
    if (types === undefined || name === './internal') return []
    return [
      {
        packageFolder,
        entry: name === '.' ? 'index' : name.slice(2),
        declarations: join(root, packageFolder, types),
      },
    ]
  })
}

/**
 * Compares an entry point's public surface with the committed report. If `update` is true, writes the report instead.
 *
 * @returns A problem to show, if any.
 */
export function compareSurface(point: EntryPoint, update: boolean): string | undefined {
  if (!existsSync(point.declarations))
    return `${point.declarations} doesn't exist. Build the packages first: npm run build`
  const report = reportOf(point)
  const name = basename(report)
  const temporary = mkdtempSync(join(tmpdir(), 'concord-surface-'))
  try {
    const problems: string[] = []
    Extractor.invoke(configure(point, temporary, name), {
      localBuild: true,
      messageCallback: (message) => {
        // API Extractor warns when it creates a report. Here it always creates one, since the folder is empty.
        const created = message.messageId === 'console-api-report-created'
        if (!created && (message.logLevel === 'error' || message.logLevel === 'warning'))
          problems.push(message.text)
        message.handled = true
      },
    })
    if (problems.length > 0) return `${name}: ${problems.join('; ')}`
    const fresh = readFileSync(join(temporary, name), 'utf8').replaceAll('\r\n', '\n')
    const committed = join(root, report)
    if (update) {
      mkdirSync(dirname(committed), { recursive: true })
      writeFileSync(committed, fresh)
      return undefined
    }
    if (existsSync(committed) && readFileSync(committed, 'utf8') === fresh) return undefined
    return `${report} differs from what the package exports. Run \`npm run surface\`, and commit the difference if it is intended.`
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

function configure(point: EntryPoint, folder: string, reportName: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: join(root, point.packageFolder),
      mainEntryPointFilePath: point.declarations,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            module: 'nodenext',
            moduleResolution: 'nodenext',
            target: 'es2022',
            lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable'],
            skipLibCheck: true,
          },
        },
      },
      apiReport: {
        enabled: true,
        reportFolder: folder,
        reportTempFolder: join(folder, 'temp'),
        reportFileName: reportName,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: 'error' } },
        extractorMessageReporting: { default: { logLevel: 'none', addToApiReportFile: false } },
        tsdocMessageReporting: { default: { logLevel: 'none', addToApiReportFile: false } },
      },
    } as never,
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, point.packageFolder, 'package.json'),
  } as never)
}
