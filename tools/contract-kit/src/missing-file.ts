import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** A call to a client, as code. */
interface ClientCall {
  /** A folder directly in the package's root, such as `test`. */
  readonly folder: string
  /**
   * Code that creates the client. It can use `exported` (the package's exports), `transport` and `socketFactory`. The
   * last two count attempts and always fail.
   */
  readonly setUp: string
  readonly call: string
  /** Additional members of the result, as code. */
  readonly more?: string
}

/**
 * Calls a client in a process that can't load one of the client's files. In a web page, this happens if the page's
 * server has become unreachable.
 *
 * @param file The end of the file's path.
 * @returns The number of attempts to reach the service, and the error's `code`, `operation` and `sent`.
 */
export function callWithout(file: string, { folder, setUp, call, more = '' }: ClientCall): unknown {
  const source = join(folder, '../src/index.ts')
  const program = `
    import { registerHooks } from 'node:module'
    registerHooks({ resolve(specifier, context, next) {
      if (specifier.endsWith(${JSON.stringify(file)})) throw new Error('404')
      return next(specifier, context)
    } })
    const exported = await import(${JSON.stringify(source)})
    let attempts = 0
    const transport = {
      send({ control }) { attempts += 1; control.sent = 'yes'; return Promise.reject(new Error('lost')) },
    }
    const socketFactory = () => { attempts += 1; throw new Error('lost') }
    ${setUp}
    const { code, operation, sent } = await ${call}.catch((error) => error)
    console.log(JSON.stringify({ attempts, code, operation, sent, ${more} }))`
  const words = ['--conditions=@concord/source', '--input-type=module', '--eval', program]
  return JSON.parse(execFileSync(process.execPath, words, { cwd: folder, encoding: 'utf8' }))
}
