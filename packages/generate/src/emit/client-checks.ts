import type { ServiceModel } from '../normalize/model.ts'
import { schemaName } from '../normalize/names.ts'
import { type Service, runtimeInternals, schemasModule } from '../services.ts'
import { Code } from './literal.ts'
import { copyPredicates, predicatesIn } from './copy-predicates.ts'
import { QuickChecks } from './quick-checks.ts'
import { header, noExports } from './text.ts'

/** The name under which operations.gen.ts and channels.gen.ts import the checks of the client. */
const imported = 'checks'

/** Matches the names of functions that check values. */
const FUNCTIONS = /^(?:accepts|has|is|lacks)\p{Lu}/u

/** Returns the name of the schema, with `Check` appended if a function in checks.gen.ts could have the same name. */
function descriptorName(type: string): string {
  const name = schemaName(type)
  return FUNCTIONS.test(name) ? `${name}Check` : name
}

/** Collects the checks that the descriptors of operations and channels refer to. */
export class ClientChecks {
  readonly #model: ServiceModel
  readonly #service: Service
  readonly #quick: QuickChecks
  readonly #used = new Set<string>()
  /** Whether the file that is being printed refers to a check. */
  #isAsked = false

  constructor(model: ServiceModel, service: Service) {
    this.#model = model
    this.#service = service
    this.#quick = new QuickChecks(model.schemas)
  }

  /** Returns a reference to the check for a type. */
  of(type: string): Code {
    this.#used.add(type)
    this.#isAsked = true
    return new Code(`${imported}.${descriptorName(type)}`)
  }

  /** Returns the import of the checks, if the file needs it. Call this once per file, after printing descriptors. */
  takeImport(): string {
    const text = this.#isAsked ? `import * as ${imported} from './checks.gen.ts'\n` : ''
    this.#isAsked = false
    return text
  }

  /** checks.gen.ts: the descriptors of all checks that other files refer to, and the functions of these checks. */
  print(): string {
    const types = [...this.#used].sort()
    const descriptors = types.map((type) => {
      const name = schemaName(type)
      const accepts = this.#quick.of(type)
      const load = `import('${schemasModule(this.#service)}').then(({ ${name} }) => ${name})`
      return (
        `export const ${descriptorName(type)}: CheckDescriptor = {\n` +
        (accepts === undefined ? '' : `  accepts: ${accepts},\n`) +
        `  schema: () => ${load},\n}\n`
      )
    })
    if (types.length === 0) return `${header(this.#model)}${noExports}`
    const functions = this.#quick.print()
    return [
      `${header(this.#model)}import type { CheckDescriptor } from '${runtimeInternals}'\n`,
      ...descriptors,
      ...functions,
      ...copyPredicates(predicatesIn(functions.join('\n'))),
    ].join('\n')
  }
}
