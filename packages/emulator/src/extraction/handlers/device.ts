import { success } from '../../core/reply.ts'
import { isObject } from '../../core/json.ts'
import type { Body } from '../../core/request-body.ts'
import type { ExtractionContext, ExtractionHandler } from '../state.ts'

/** POST /v1/agent/device/code. */
function createDeviceCode({ devices, choices }: ExtractionContext): ExtractionHandler {
  return {
    handle({ body, baseUrl }) {
      const agentName = textField(body, 'agent_name')
      const authorization = devices.issue(agentName)
      const page = baseUrl + choices.paths.device
      return success(200, authorization, {
        device_code: authorization.deviceCode,
        user_code: authorization.userCode,
        verification_uri: page,
        verification_uri_complete: `${page}?${choices.paths.deviceQuery}=${encodeURIComponent(authorization.userCode)}`,
        expires_in: authorization.lifetimeSeconds,
        interval: authorization.intervalSeconds,
      })
    },
  }
}

/** POST /v1/agent/device/token. */
function pollDeviceToken({ devices }: ExtractionContext): ExtractionHandler {
  return {
    handle({ body }) {
      const { authorization, status, body: shown } = devices.poll(textField(body, 'device_code') ?? '')
      return success(status, authorization, shown)
    },
  }
}

function textField(body: Body, name: string): string | undefined {
  const value = body.kind === 'json' && isObject(body.value) ? body.value[name] : undefined
  return typeof value === 'string' ? value : undefined
}

export function deviceHandlers(context: ExtractionContext): Record<string, ExtractionHandler> {
  return {
    createDeviceCode: createDeviceCode(context),
    pollDeviceToken: pollDeviceToken(context),
  }
}
