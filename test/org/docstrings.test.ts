import { expect, it } from 'vitest'
import { docstringOf } from '../support/source-files.ts'

it.each([
  ['contract/organization/members', 'AddParams.members', /\b1 to 500\b/],
  ['org/members', 'Members.add', /\b1 to 500\b/],
  ['org/members', 'Members.addAll', /\bup to 500\b/],
  ['org/members', 'Members.invite', /\b10 a minute\b/],
  ['org/members', 'Members.inviteAll', /\b10 in any minute\b/],
])('the docstring of %s, %s states the limit of the service', (file, name, limit) => {
  expect(docstringOf(`src/${file}.ts`, name)).toMatch(limit)
})

it.each([
  ['org/members', 'Members.list', /role is `member`.*resolve/],
  ['org/members', 'Members', /`vmem_` id.*email.*`svc_id`/],
  ['contract/organization/member-results', 'AddedMember.activation_link', /activate the member/],
  ['contract/organization/member-results', 'InviteResult.activation_link', /replaces every earlier link/],
  ['contract/organization/members', 'RemoveParams.permanent', /account is never deleted/],
  ['contract/organization/member-results', 'Member.member_id', /`svc_org_member_id`/],
  ['org/client', 'OrgOptions.clientSecret', /never leaves the server/i],
])('the docstring of %s, %s states the rule of the service', (file, name, fact) => {
  expect(docstringOf(`src/${file}.ts`, name)).toMatch(fact)
})
