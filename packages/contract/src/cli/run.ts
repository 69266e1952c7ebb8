import { Command, CommanderError } from 'commander'
import { ContractError } from '@concord/spec-model'

import { checkCommand } from './check-command.ts'
import { coverageCommand } from './coverage-command.ts'
import { mockCommand, proxyCommand, replayCommand } from './serve-commands.ts'
import { exitCodes, type Done, type CliContext } from './cli-context.ts'
import { verifyCommand } from './verify-command.ts'

/** Runs the command line and returns the exit code. */
export async function run(args: readonly string[], context: CliContext): Promise<number> {
  let code: number = exitCodes.passed
  const done: Done = (exitCode) => {
    code = exitCode
  }
  const program = new Command('concord-contract')
    .version(context.version)
    .description('Checks clients, mocks and services against an OpenAPI or AsyncAPI contract.')
    .exitOverride()
    .configureOutput({ writeOut: context.out, writeErr: context.error })
    .addHelpText(
      'after',
      '\nExit codes: 0: passed; 1: the contract was violated, `replay` received a request that is not in the recording, or not enough was checked or covered; 2: invalid usage; 3: the service cannot be reached.',
    )
  for (const command of [
    verifyCommand,
    mockCommand,
    proxyCommand,
    replayCommand,
    checkCommand,
    coverageCommand,
  ]) {
    program.addCommand(inherit(command(context, done), context))
  }
  try {
    await program.parseAsync([...args], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.passed : exitCodes.unusable
    if (!(error instanceof ContractError)) throw error
    context.error(`concord-contract: ${error.message}\n`)
    return error.code === 'unreachable' ? exitCodes.unreachable : exitCodes.unusable
  }
}

function inherit(command: Command, { out, error }: CliContext): Command {
  return command.exitOverride().configureOutput({ writeOut: out, writeErr: error })
}
