import { success } from '../../core/reply.ts'
import { jsonOf } from '../../core/service.ts'
import type { ExtractionContext, ExtractionHandler } from '../state.ts'

export function deviceHandlers({ devices, choices }: ExtractionContext): Record<string, ExtractionHandler> {
  return {
    createDeviceCode: {
      handle(call) {
        const { agent_name: agentName } = jsonOf(call)
        const authorization = devices.issue(typeof agentName === 'string' ? agentName : undefined)
        const page = call.baseUrl + choices.paths.device
        return success(200, authorization, {
          device_code: authorization.deviceCode,
          user_code: authorization.userCode,
          verification_uri: page,
          verification_uri_complete: `${page}?user_code=${encodeURIComponent(authorization.userCode)}`,
          expires_in: authorization.lifetimeSeconds,
          interval: authorization.intervalSeconds,
        })
      },
    },
    pollDeviceToken: {
      handle(call) {
        const { authorization, status, body } = devices.poll(String(jsonOf(call)['device_code']))
        return success(status, authorization, body)
      },
    },
  }
}
