export { defineConfig } from './config/config.ts'
export type { Config, OverlaidOutput, ServiceConfig, SplitOutput } from './config/config.ts'

export { generate } from './run.ts'
export type { Generated, RunOptions, ServiceResult } from './run.ts'
export type { Change } from './write.ts'

export { ConfigError } from './config/check-config.ts'
export { GenerationError } from './problems.ts'
export type { Departure, Fidelity, Place, Problem } from './problems.ts'
