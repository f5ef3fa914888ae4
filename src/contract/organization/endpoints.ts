import type { Endpoint } from '../endpoint.ts'
import { retrieveBilling } from './billing.ts'
import {
  addMembers,
  deactivateMember,
  inviteMember,
  listMembers,
  reactivateMember,
  removeMember,
  resolveMember,
} from './members.ts'

/** Every operation of the organization API. */
export const organizationEndpoints: readonly Endpoint[] = [
  listMembers,
  resolveMember,
  addMembers,
  deactivateMember,
  removeMember,
  reactivateMember,
  inviteMember,
  retrieveBilling,
]
