import { expect, it } from 'vitest'
import { docstringOf } from '../support/source-files.ts'

it.each([
  ['contract/members', 'AddParams.members', /1 to 500/],
  ['org/members', 'Members.add', /1 to 500/],
  ['org/members', 'Members.addAll', /calls of up to 500/],
  ['org/members', 'Members.invite', /10 of these a minute/],
  ['org/members', 'Members.inviteAll', /10 in any minute/],
])('states a limit of the service where a caller meets it: %s, %s', (file, name, words) => {
  expect(docstringOf(`src/${file}.ts`, name)).toMatch(words)
})

it.each([
  ['who is listed', 'org/members', 'Members.list', /role is `member`.*resolve/],
  ['which ids will do', 'org/members', 'Members', /`vmem_` id, their email or their `svc_id`/],
  [
    'what a link is worth',
    'contract/member-results',
    'AddedMember.activation_link',
    /can activate the member/,
  ],
  [
    'what an invite ends',
    'contract/member-results',
    'InviteResult.activation_link',
    /Replaces every earlier link/,
  ],
  ['what a removal leaves', 'contract/members', 'RemoveParams.permanent', /The account stays/],
  ['which claim is the id', 'contract/member-results', 'Member.member_id', /`svc_org_member_id`/],
  ['that the secret stays', 'org/client', 'OrgClientOptions.clientSecret', /Never leaves the server/],
])('tells %s where a caller reads it: %s, %s', (_, file, name, words) => {
  expect(docstringOf(`src/${file}.ts`, name)).toMatch(words)
})
