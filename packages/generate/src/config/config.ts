/** The default export of `concord.config.ts`: the services to generate for. */
export interface Config {
  /**
   * The folder that all paths are relative to, itself relative to the config. Default: the folder of the config. Generated files
   * and messages name the contracts by these paths.
   */
  readonly root?: string
  readonly services: readonly ServiceConfig[]
}

/** One service: its contracts, and where its files go. */
export interface ServiceConfig {
  /**
   * Lowercase letters and digits, in words separated by hyphens. The generated interface and class are named after it: `web-shop`
   * makes `WebShopApi` and `WebShop`.
   */
  readonly name: string
  /** The OpenAPI document (3.0, 3.1 or 3.2; YAML or JSON): a path, or an http(s) address. */
  readonly openapi?: string
  /**
   * The AsyncAPI document of the same service (3.0, 3.1, or 2.x with @asyncapi/converter): a path, or an http(s) address. It can be the
   * only document.
   */
  readonly asyncapi?: string
  /**
   * OpenAPI Overlay documents (1.0 or 1.1), which are applied to the contracts one after the other before these are read: paths, or
   * http(s) addresses. An overlay whose `extends` names one of the contracts is applied to that one, any other to the OpenAPI
   * document.
   */
  readonly overlays?: readonly string[]
  /** Where the contracts are written with their overlays applied, for tools that don't read overlays. */
  readonly overlaid?: OverlaidOutput
  /** One folder for all files; or folders in two packages, the client and its validators. */
  readonly output: string | SplitOutput
  /** The name of the client class; false generates none, so that you can write your own. Default: derived from `name`. */
  readonly className?: string | false
  /** Fails on everything that can't be generated exactly as in the contract, instead of reporting it. Default: false. */
  readonly strict?: boolean
  /**
   * The minimum percentage of places (schemas, parameters, bodies and responses) that must be generated exactly, from 0 to 100.
   * Below it, nothing is written, and the command exits with 1.
   */
  readonly minFidelity?: number
  /** Hosts that a `$ref` in a contract may lead to, such as `schemas.example.com`. Default: none. */
  readonly allowHosts?: readonly string[]
  /**
   * How generated files name each other in imports. `.ts` is for Node, and for compilers with `allowImportingTsExtensions` or
   * `rewriteRelativeImportExtensions`; `.js` is for all other compilers. Default: `.js`.
   */
  readonly importExtension?: '.ts' | '.js'
  /**
   * Writes every schema with an explicit type, `z.ZodType<Job>`, as TypeScript's option of the same name requires. Schemas
   * then lack the methods of their kind, such as `extend`. Default: false.
   */
  readonly isolatedDeclarations?: boolean
  /**
   * A module that you maintain, which must export every operation and channel. Between its two markers, the generator exports
   * everything that the contract defines.
   */
  readonly index?: string
  /**
   * A README that you maintain, with two markers. Between them, the generator lists the operations whose effect can be unknown
   * after an error.
   */
  readonly readme?: string
}

/** The paths of copies of the contracts, as JSON. References stay as they are, so write each copy into the folder of its contract. */
export interface OverlaidOutput {
  readonly openapi?: string
  readonly asyncapi?: string
}

/** Files in two packages: only one of them needs zod. */
export interface SplitOutput {
  /** The folder of the operations, the API and the channels. */
  readonly client: string
  /** The folder of the types and schemas. */
  readonly validators: string
  /** The name that the client imports the validators by. Its index has to export everything from `index.gen.ts`. */
  readonly validatorsPackage: string
}

/** Returns the config unchanged. With this function, editors know the types of the members. */
export function defineConfig(config: Config): Config {
  return config
}
