import type { ServiceModel } from '../normalize/model.ts'
import { schemaName } from '../normalize/names.ts'
import { type Service, runtimeInternals, schemasModule } from '../services.ts'
import { Code } from './literal.ts'
import { copyPredicates, predicatesIn } from './copy-predicates.ts'
import { QuickChecks } from './quick-checks.ts'
import { header } from './text.ts'

/** The name under which descriptors import the checks of their client. */
const imported = 'checks'

/** The checks that the descriptors of a client use: gathered while these are printed, then printed themselves. */
export class ClientChecks {
  readonly #model: ServiceModel
  readonly #service: Service
  readonly #quick: QuickChecks
  readonly #used = new Set<string>()

  constructor(model: ServiceModel, service: Service) {
    this.#model = model
    this.#service = service
    this.#quick = new QuickChecks(model.schemas)
  }

  /** The reference to the check of a type in a descriptor. */
  of(type: string): Code {
    this.#used.add(type)
    return new Code(`${imported}.${schemaName(type)}`)
  }

  /** The import that the file of descriptors needs. */
  get import(): string {
    return `import * as ${imported} from './checks.gen.ts'\n`
  }

  /** checks.gen.ts of the client: a descriptor for every check that was asked for, and the functions that these use. */
  print(): string {
    const types = [...this.#used].sort()
    const descriptors = types.map((type) => {
      const name = schemaName(type)
      const accepts = this.#quick.of(type)
      const load = `import('${schemasModule(this.#service)}').then(({ ${name} }) => ${name})`
      return (
        `export const ${name}: CheckDescriptor = {\n` +
        (accepts === undefined ? '' : `  accepts: ${accepts},\n`) +
        `  schema: () => ${load},\n}\n`
      )
    })
    const functions = this.#quick.print()
    return [
      `${header(this.#model)}import type { CheckDescriptor } from '${runtimeInternals}'\n`,
      ...descriptors,
      ...functions,
      ...copyPredicates(predicatesIn(functions.join('\n'))),
    ].join('\n')
  }
}
