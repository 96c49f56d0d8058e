/* lockkeeper 0.2.0, MIT */
"use strict";
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// glue/entries/index.js
var index_exports = {};
__export(index_exports, {
  Lock: () => Lock,
  LockManager: () => LockManager,
  createLockManager: () => createLockManager2,
  inspect: () => inspect,
  install: () => install2,
  internal: () => internal,
  locks: () => locks
});
module.exports = __toCommonJS(index_exports);

// glue/entries/node.js
var import_node_crypto3 = require("node:crypto");
var import_node_fs12 = require("node:fs");

// build/out/embedded.js
var text = "t@}@?@w)ttt)@=)I@p(@W@W)@W@p)@W)@W@p(@W@Wt@p.@W@W@W)@W@p)@Wt@p.@W@W@Wt@pt)@W@p(@W@O)@W@p)@O)@W@p(@O@W)@W@pt)@O@p.@W@W@Ot@p)@W)@O@pd@W@W@W@O@Ot@p.@W@W@O)@W@pn@W@W@W@W)@W@pn@W@W@O@O)@W@pn@W@W@O@Ot@pd@W@W@W@W@Wt@pn@W@W@W@O)@W@pp@W@W@O@W@W@O@W)@W@ptt@ps@W@W@O@O@O@O@O@W@W@W@W@W)@W.@h@gpn)})(n(ntd}))tdt.(((nn..tt)t.)dcgdtttyt)!.p{)).()t,2t.(Dt(r-r((w.(((nn)t)gt)ptsdhtp{hhs}t)4{){{Tgd{)))@3@3({p)@W)=@3erp~l)w{@w@s@w@T@L@e(td@L@s@?@s@mt@}p@?@h@L@}@m@h@!t1d@}@I@I@-@et@ph@s@<@s@4@mC@T@M@4@mt@{{@s@<@s@4@m@?t@d}@?@4@}@I@?@!@T@mt0p@L@s@?@m@T@L@st@nn@c@T@L@Dt@.{@L@s@2@T@,@4t@(r@4@s@F@m_@s@>@M@s@?@mt@)r@L@s@>@M@s@?@mU@}@w@st@td@L@}@,@?@st#n@-@}@?@mtGn@m@,@w@st9s@4@s@F@mf@s@}@r@-@,@4@st5s@L@s@>@M@s@?@mC@T@M@4@mt%s@,@?5@4@r@,@?@I@M@m@s@rt^r@M@?@s+@ej@m@!@s@L@?t_n@!@}@?@!tQh@^C@g6))@Ze)~ri(@Uet@?=@#~=~ ~x@e@-ite(+e@K@U@?et=!@<@?=~:@R@9@9@F@-it=c@<et@?r,tetet&(tetet&(nrhteto(netbrWt=tet@Cet@}etftttttttt@c:etf~q~q~q~q~q~qxC@s:@Lmrctetott=)@m=n@2rHtete),z=(@m=@3e@2i)o(t&(te)et&(trl))@Weto(ti)eto(n&(neto(ne)&(tet,)r$))@Weto(tl(e)et&(ne)e(&(teto(te)&(nete)&(tr@+.)r@Wet=@N)@2lh.aeh,(:naeto(@R)i),{e)=0@Di(=>@2l}e(1t[na(ae},(:cte(=tEt[e(=u@2ln=)l{=)l).ae)=)@>naeno(nl.=tlp.ae.en]nae.e{en,$ige{en,$ldegl).ae)e.be)edb@L:nae) .se. .s@hnae)o(nlre),{e.e),perl)de.o(nl.rs)rrep=)enegbmlpedl.s)rrep=)@>l)e{=)@ml{s)rr.aen,(c)e(o(oi),{ete)=M@D,|strtrre(=,@2ld.a(ae(o(ei)edbcte(1t[cte(e)o(}i.,6:cte(e)o(n&(ee(e(o(v=)@2&(ve)=)Et,e.e.o(v=w@-@2=~Vt@2e)]c)ete.,|s)rred,(:c)e},(:c)et=~Ht@2e(,we(e(o(},n=a@D,ds)rrr te)o(}eto(}=@#~=~ ~x@e@-@?it=!@<et@?=~:@R@9@9@F@-it=c@<et@?rP))@Weto(tl.(aet1t}nae.eto(n@2e)e(,&:c)et=)Etgde.:c)e.eto(n@2e)e(,I?rreteto(ne(@2&(nr>tetftttttt~V@W@gn@Wet,.d=)rr@v)).@Wet,zit=Hqna(aet=(@m=@3e@2i(o(ti)nae(e)o(t&(ts)r(@W=)et@mitxti)=,@m=@xlo(t=@]l@2i(@Di.Snaete.@D=,@<=)@2i.e)=.@<@2,o:na=te.,o:c(?rr=@xl=@xlo(tet@2&(te(r!rre)r&)(@Wet=n,Zi)n@We)otti(eto(n=)@<qn@We)=tete(=)@m,Zmd=trd=trr@?((@W(@Ze)=n@2l(e),ne)@2l.=)l)et=)@<=~W~]~[~bn@?@%ln.ae(e.]nae(8tte)@%en@Z@Oid@U=~q~q~q~qp@>ed+F@K@U@2it=~q~q~q~qp@Detet=~*~q~q~qpSml)e(=(@2l(s)rre)r@U)).@Wete(e)o(@pe) .aftttttttt,e=tl(.ae)o(@-e(Snae)e(=w@-@2ino(@Oi.o(een=~Vt@2idbnae.eno(@m&(eren1t@3)nae.e.o(v=)@D&(vred,{ete.,De(=)@2l(s)rre)=M@2,{ete),Eet=~zt@2e),we)e)o(@-=w@-=~Vt@2,drLtet=|@2ete),U,3it=,@D=tetmrmtete(,Zitnae)ete(,I?ret=t]rIte),H:naet=@N)@2e)=0@2,prrLtete)o(f&(tete)o(a=)@m&(nr+)(@Weto(teto(ne)o(n@>=(@m@2l(.ae(i.o(ti(e)]ctre.e)o(t&(teteto(}=)@D&(}ryteto(teto(n,+r?tet=t&(set+tN(netet=s@2&(tr8))@Wetl..ae(nae.e)1ttEtte.=)@2l.e)=)@2l)e(=)@Dl(s)rretr/))@Wete(,3lt(a.aetnaeto(}l(e),ni.e(,nbn@We)e(e.,&d=)r:c(et,*lts)rr=tltretrwteto(@C)e)=(@m@2=n@Do(tr?tet:na=@Nlo(t,:=@Nle)&(tretri).@Wetl).ae(i.=)@2l(e)o(ni)et]ctre.r@b.)h@WOt=|@Di.utet=o&(ne)=~+t@2l(e)=~Vt@2lg.ae(o(ti(eg]naete(=e@2=s,hete(=,@Do(tinen,n,he(=n@2l(s)rr=tl(.ae)ep,uipna=tld.aedepo(@-jc(eped=w@-@2ino(@Olhen=~Vt@2i}o(sin=>@2lre}en=,@2erer,(mo(nbnaehe(&(keteho(}inen,n,he(=)@2l(red=)@2ldstrtrre(ln.ae)e{,ui{naete{=a@D=|,h=tl(.ae(e{o(@-jc(ete{e(=w@-@2o(@O=k@2=n,he(=)@2l(strtrreto(nl}e.=~?@J~m@;.&(}e.eg,m&(se.e) .,;.,e.e) .>;.>e)o(ol(e.en&(ue.e(&(ee.e)=~bt@2,m&(oe.e)=@ )@2,m&(0et=t&(nete.=}@2=o,he.=|@2ute}r:)(@WOt=,@Di.ute.=t&(}e.+tN.te):e(e.et,MinA@L:nae.e)&(te.et,M?re.=,@2utenrstet=0@2,(=)@?r~w)){@W(aeti.o(}ineto(n=)@2itjn@Wet=(@mdenet=n@<jc)et=(@<rlte.o(nl{e.o(tlpet=(@min,si}:cte}en,Olne.et=)@D&(ne.en&(t.aede{qnaeped=(@m@2o(tlt.aetnaeto(tlne.et,Nenlts)rred=)@2lds)rrepe{,+re.e.o(}=)@2&(}e)e(&(ne.e),NrJ))@Weteto(@j)id=)@2&(@j)eto(@S)ed=>@-@2iten;.,ete.;.}ete(&(nete)&(trhte)~{et@],.r<teto(@C)e)=(@m@2=n@De(&(te(e)&(|rB))@Wetl(.ae)nae(=tEtte(=)@2l(e)=)@Dl)s)rretrk))@We)=,@2et=~bt@2i(e)mo(ni)e(bnaeto(@K)l)r=te)=,@De)et=@ )@2bmrz)(@We)eto(ni.qnaeto(tl(ete.e)@D&(nete)e(@2&(tre(ratet=~zt@2e)e(,q,3lt(a.aetnae(et .a@}naeto(ue)bc.ret,*lts)rr=tltretr?teto(teto(ne)@>=(@m@2o(te),;rgtetat=@W]r@7n(p@Wd@OOt=|@Dinut=@ll}e)en=|,2na(aeteno(e,,ihidna(aen t>lren t,lsen t}lyen ttic,.:ecftttttt~Vx@s@Lcteced .k@rctetedec,Wctenotuip=)Sct=tenotoepmcter,r:ctes,r:cteset .,i!@scte.:na=)l{ed=o@2,(c)ecedo(o .k@rl{s)reyet .>@r:ctey,.:ctesftttttt~V@W@}n@W=)l{erftttttt~V@W@}c)ere!@],r=)@?deres@s:c)esere!@]@srl{rre{:cteno(0ld=tl{Ot=,@Diput.a(aede{bcte)ep=s@2=n,2:ctepo(sige(o(njcte(o(teg=(@m@2o(tig,Hcteteg,De{=)@2l{s)rrep=,@2uted=t]ede{q@>:ctetehen .teno(ueno(oen .>ed,ai):na=@Wl}s)re.naeten .}ir;.>ete)eren .,,8l(et,}e(:c)dete)en .,,Jet,}r=t=@le)1t[e.bml}rren=|@2ute}rut.ae):ete(b@L:nae)=)@Dl)eto(nlts)rretrTte),rn@Wet .,e)@],rd=trrK)(@W=@Nlo(t=t=t,<it,1i)=tUn@W=@Nlo(t=@8lo(tet,<de)rr:)(@W=@8lo(tl)et=@Klo(ti(Snae)nae)e(,dr=@8let,si)&(t=@Klet=te)m&(tre)=@We)mryt=eet=)@D=!@L@y@Dr@o{(c@W(@OOt=,@Disutfttttttttes=s@2,Yl.eso(sl{(ae.:na(aOt=a@2idutede)&([edet&(k=@ll.ed=k@2ed=,@2=o,2na(aed .>i,,.:cted .ei2,.:cte2edo(v,l:ctedo(0inedo([=(@<Scte{e,ftttttttt@];.,en=(@m=n@2ic,sl.eden&(sede.&(}e.:na=@Wl.s)re.ec,Olyed=k@2l}ed=}@2lg=tl.edotwlp.aedotolr=tepe.mnaep=)@DlpOt=,@Dinut=@ll.e}en=s,2na(aereno(}i!Acte!e{o(oqcte{e},ce!en .t,[l.rren=,@2uts)rre{er&(oe.:na=tl.=tln(@W(a.ae.ego(njc)=@le},cip:c(?e{ep,7lpe.=(@mirego(t@2ep&(te.=)@2l.erego(t@2o(tctr=@Wlnrenrl.redot|lp.a=tepe.mnaep=)@Dlpe{e}eg=),Bl.s)rr=@llned tei,e{ .>@h:na(ae{e,ftttttttt@];.>edotvlpe.ln.aep:en@Lc)ep=)@Dlpe{e}eg=t,Blnstrtrrenl..aeyeh=(@m@2o(tinnae{en,Deh=)@2lhs)rre{,}eyec,d=@llh(a(ae.=)@2y((t)r=tlnOt=,@Di.ute{=t=t,<e)bnae.=)R)}e.=t&(ne.et&(te.e{,M?e.1tg:lnre.=,@2ut=t=@lenmlhrehl.rred=a@Dute.ct=tl.s(rre{,:=tl{re(e{&(tes=,@2ute.r@D).@We)o(@-inl.(a(a.ae.=)@Di.:c)e)e)o(v=)@2i(=te(enAmi(&(ve)e(=w@-@2i(1t@3):c(e(o(@Oi(1t[:ctre(=u@2e)=M@2,ps)rete),xrrLteto(@rn@Weto(@!it=@Wetmd=)rra)(@Weto(vi.:na=)!reto(eo(ti(et=,@2bnaeto(>l(re),Xite(o(},Xbete.S@>r@6))d@W=)ld.ae)o(@-epSnae)ep=w@-@2ino(@Ol{en1t@3):nae{e),6l}en=)Et@3)e{e{o(v=)@2&(vede}@>ldren=~Vt@2in,{e{=>@2en,pep=)@2lps)rrete),Ee)=)Et[ete)e(e.,ved=)@>r@*)).@We)e.;.Pe)e(;./e)o(ulne)e)o(ke(,te.,t&(>en=e=oe)1t[m@2e)=}@2,petet=~bt=@ )e)1t[m@2ino(ti{e)=,@2id,geden,g@2e{en,g@Deto(0@2&(0ened,pe.ftttttt~V@W@gnaeteto(@])=)@2in&(@])etene),Prr@H).@Wet=~Ht@2i(e)eto(}e),yi.,>it:nae),n=a@D,sitnaet=,@2in,)et=>@2,)et=u@2,)et=0@2,)et=tEt[et=t&(veten&(ee(etet=J@2e)e.,kd=t!rretra)(@W(a.ae(:c)et1tti.e)1ttinbnae)=)@2l)et=)@2lte(=)@Dl(s)rre.en@D!r=tr3te)eto(teto(ne)o(n@>=(@m@2ito(t&(tete)&(trute)e(e.e.,n,I&(}e)=te.,y&(sete)en,Frit.a(aet:cteto(ne)bcteto(tlts)rretr~3))n@We)=}@2i(,(:na(ae(,{ete)=,@2i(o(ti.e(o(nin,ge.e(,ge(en,g@2@Deto(0@2&(0e(,{etl(e)o(|it:cte)=t&(|e(e(o(@])=)@Di.&(@])e(o(@C)e.=(@m@2o(tine)bct.aet=)@mi)e.qnae(et(@We)e.Anae(e)=)@Lit,Lldete)ede(e),L,/ml)re(e),Lr,ie)lts)rre(eten,PrrrVteteto(0e)o(|@D&(0e)e(;.ke)e)o(se)o(a~{,te(,ti)&(|eteto(0e)@2&(0r~e))n@W=@Zlne)na(ae)ott:e.ftttttt~Vx@h@Lcte.,.:ct=@Olnet=a@Dide)eto(}i{e),yip,>cte(:na=@e!re),n=~Tt@2,sin:na=@W!ren=t&(|ene(&(aene{e(~{,t&(ven=e@2,)en=o@2,)et=~Vt@2en=>@2,pet=|@2en=,@2ete(,U,Fedenen=~Dt@2e)ep,kete(&(oetene.,R=tlnrrenr@.)n@W.ae)o(@-e.Snae)e.=w@-@2ino(@Oid=,@2i{en=~Vt@2in,pe{edo(ebnaeden&(ere.=)@2l.s)rrete)ftttttttte(,vrW))@We)=>@2l(.ae(,(:naete)o(Mo(}=.,!s)rrr5)(@Oet .,e) .#@]l(etet .>ftttttt~Vx@]i.;.>ete)e.e(ftttttt~V@We(,rm,8?et=)e)o(@pe) .ae) ./,er~N().@Wet,Anae{=w@-=~Vt@2,sipnaep=}@2,)ep=M@2,)epe)&(ue)o(al}epen&(@!epe.&(@repe(;.aepe}&(@pepedftttttttt@];.#etet .eidftttttt~Vx@];.eepe{&(@-ep=tEt[ep+tN.|eped;.oep=~Vt@2lget=@N)@2ln=tl..ae.e{]naeno(nlnege.=w@-@2i}=tEt,e}en=0@D&(se}ep&(}e},)e.=)@2l.s)rr=tl.epo(@pep .a,tep .#,tepo(@r~{,tepo(@!~{,tlnepo(@-l}epl{.ae.e}]naene{e.=w@-@2o(@Oo(s~{,tlne.=)@2l.s)rre{en&(ket=~zt@2e{e)e(,q,Fd=tl{rd=tl{re{rG)(@W=@Zlne(na(a(a.ae(nae),ci.:c.ete.,7i.:c(e.,Hc.e(=)@Dl(ete.,Ds)rr=@Z=te)o(nmlns)r=@W!rrenr-te)naete)=(@m=n@2,drr<t.ae),(:naete)o(n=}@D=n,!s)rrrjtete)=e@2,Cete)=o@2,Ceteto(0e)o(|@D&(0e)=>@2,{et=|@2e)=,@2,wet=a@De),we)e)o(},n=~Tt@2,drG))@Wetnaet=~Vt@2l).ae),(:naeteto(@m=>@D,fs)rret,}et=|@2,4et=a@D,4et=~Ht@2,4et=~zt@2,4et,bet=@G),drrDteto(@C)eto(@x),],drptet=v@-r=((@O(@Wet .Pi(e) .Pi.@gnae(e.@h!reto(@pine)o(@pid]n@WenedAdet .ae) .a@hrr@u)n@Weto(@!i)eto(@x)i.Ae)=)@2e.=n@<j@>:nae)=)@m=}@2in,],si(:nae)e.A!reto(@C)i)nae(e)eto(@])=(@m,I?et,brete(&(@C)eten&(@x)ete(en=(@m@2&(@S)r=)r~.)))@W(@We)=t&(tet,.n@W=@G),si(nae(=@G),Oi(=@ lo(t&(}e(=~YeB(tN(td=tl(r=@We(:c)?e(etftttttttt@];.>e(=|@2,Te(=a@D,Te(=~Ht@2,Te(=~zt@2,Te(=~Vt@2,)e(=~bt@2,)e(=@ )@2,)e(=@N)@2,)e(,An@We)e(&(t=tde(=@G),d=@Wrd=@Zrrr$))@Wetl(.aete(o(ni(]nae(o(}o(@pe)bc)rrete(]ryteto(teto(n,;r6))@Weto(vi(e)ftttttt|C@]~r@Uit=@3@p@>@2e(et=s@<~{,tet@2=~qF@>@2rLteto(}e)@?=@#~=~ ~x@e@-it=,@<et@?rlteto(@])n@Oeto(@C)o(t .Pdftttttt~V@WrrR)(@W.a(ae)=(Acte(ete)=)@<i.,Lin,/:ctete)en,ie.l)s)rrete)e(,irW))@W=@Nlo(tito(0et .,,tet .>,teto(o~{,t~{r@K)).@W=@Nlo(tln=@8lo(tl(Ot=,@Di.ute.e(&(}e.e)=)@m&(s=tl)(a.ae.=}@2,ci(:c)en=~Ht@2e(eno(}e(,y,>i(:cte(=>@2et,S:na=)e)e(=,@2et,Sml)s)rr=(l)re.=,@2ute)r@h).@W=@Nlo(ti(et,,itna(ae(ete),Wi(:cte(1t[:cte(o(@-ln.aene.it]naet=)@2l.e(et=w@-@2o(@O=,@2,(c)rretenjl.rre.rrt=@Nlo(to(@!rht=@Nlo(t,jrrt=@Nlo(t .,ret=@Nlo(tet,,itn@Oet .kdftttttt~V~crrx)(@W=@Nlo(tl)=@Zl(et,.na(ae) .>et@c:naete)o(@!,l:c)e)et;.>r=tl(rre(r,tete)=w@-@2o(@Oo(}rst=@Nlo(tet,urct=t=@Rlo(t,??rP)(@WOt=,@Di)ut,0it=tUna=@8lo(tete)=s@2,Kit:na=@Rl=@Nlo(t&(t=@Nle)o(s&(t=tltrre)=,@2utetrz))@WOt=,@Di)ut=@8lo(tete)=s@2,Ke)o(s,?lte)=,@2utetrst=@Nlo(to(@S)rst=@Nlo(to(@j)r~q{)n@WOt=~Ht@Disutes=@8lo(t&(feser&(aeseh&([eseg&(kese}&(vesep&(|ese{;.oesed;.eesen;.>ese.;.,ese(;.}ese)&(neset&(t=@Nlo(tir=t&(@j)=@Zlc(a(a(a(a(a(aet=)@Dy{...()tdre{,.:cn=tlcer .,e{@h:cnere{;.,snrere),,it:c(eret,f=tlcs.res=~Tt@2ites,-et,clteh=)]c(eso(*c(eretero(o=)@2e(,[icc(er={ero(oe(ftttttttt,e=tlcs(rere),,iy:cte(,.:c)=@Olcey .ki{e(@cc)=@ilce{ftttttt~Vx@]e(@hc)(a(a(a(a(aet=)@Dy()t(r=@Zl)e.,.:c.ereye.,Witn@Weret=n,!=td=)rl)s.r=@Zl)=tlteso(|ic=)qna(aeso(ki!=(Sec=te!=(bm@Lct=teso(vecmcteres .>, :cteres .e, ltrret:c(es=~Tt@2ites,-ereteh,=i)c)=.l)er .>ero(@!=)@2,l:c)ereye(epe}edeh,aip:na=@Wl)s(reg=(@>:naereper .,en@],Jer,}=tl)eg=)@>:c(ep1t[c(erep=(,!s(r=tlt.aetepo(@-Anaerepet=w@-@2i)o(@O,Ve)o(@O=)Et[et=)@2lts)rrerep,x=tl)s)res=~Tt@2ites,-ereteh,=l)er,}e)cter=~Ht@2lpes=~Tt@2es,-=tl)=tlt.aetehbc)epes=~Tt@2,ci}ero(}e},y,>i}naere},Vret=)@2ltstrtr=@Wlce)=@Wbc(rereye(,R=(e)e)=t/mlcs)r=@ulcrer,}.aer,jer .,@snaerero(@C)o(t=d,!er,}s)rres=~Ht@2utecr|))@WOt=,@Di(ut=@ le)&(tete(=s@2,Ye(o(s,?l)e(=,@2ute)r";
var alphabet = "t)(.nd{p}ghrscy!,2D-w4TI>L?mM<HFeliOuZW3oB$ 01zK|X68v7&Nk;ER[JVxa=+Cf:b]/AYS*qUjPQ_^%59G#";

// glue/edition/package.js
var IS_PACKAGE = true;

// glue/core/constants.js
var OPERATIONS = (
  /** @type {const} */
  ["", "request", "drop", "force-release", "join", "gone", "tick"]
);
var MODES = (
  /** @type {const} */
  ["exclusive", "shared"]
);
var EVENTS = (
  /** @type {const} */
  ["", "granted", "unavailable", "broken", "removed", "expired", "joined"]
);
var USES = (
  /** @type {const} */
  ["unused", "awaited", "held"]
);
var STATUSES = {
  0: "ok",
  1: "stale",
  2: "refused",
  3: "no-fence",
  "-1": "out-of-memory",
  "-2": "invalid",
  "-3": "unknown-client",
  "-4": "duplicate",
  "-5": "gap",
  "-6": "bad-snapshot",
  "-7": "no-handle"
};
var OK = 0;
var STALE = 1;
var REFUSED = 2;
var OUT_OF_MEMORY = -1;
var IF_AVAILABLE = 1;
var STEAL = 2;

// glue/core/error.js
var REASONS = {
  refused: "a field is wrong, such as a mode, a duration, or a name that is there twice",
  "no-fence": "no number is left for another fence",
  "out-of-memory": "there is no memory for it",
  invalid: "the type, number, time or fence is wrong",
  "unknown-client": "the client has not joined, or is gone",
  duplicate: "the client has used that number, or has joined already",
  gap: "the client's next operation has a lower number",
  "bad-snapshot": "the bytes are no snapshot",
  "no-handle": "there have been 2^32 - 1 members"
};
var LONGEST = 60;
var titleOf = ({ type, client, number }) => {
  const title = typeof type === "string" && /** @type {readonly string[]} */
  OPERATIONS.includes(type) ? type : "operation";
  const id = typeof client === "string" ? JSON.stringify(client.length > LONGEST ? `${client.slice(0, LONGEST)}\u2026` : client) : "";
  return `${title}${typeof number === "number" ? ` ${number}` : ""}${id && ` of ${id}`}`;
};
var CoreError = class extends Error {
  /** @param {number} status @param {import('./core.js').Fields} [operation] that was refused */
  constructor(status, operation) {
    const code = (
      /** @type {keyof typeof REASONS} */
      STATUSES[status]
    );
    super(`lock core: ${IS_PACKAGE ? `${operation ? `cannot apply ${titleOf(operation)}: ` : ""}${REASONS[code]}` : status}`);
    this.status = status;
    if (IS_PACKAGE) {
      this.name = "CoreError";
      this.code = code;
    }
  }
};

// glue/core/memory.js
var view;
var at = 0;
var seek = (buffer, place) => {
  if (!view || view.buffer !== buffer) view = new DataView(buffer);
  at = place;
};
var readWord = () => view.getUint32((at += 4) - 4, true);
var readNumber = () => view.getFloat64((at += 8) - 8, true);
var readName = () => {
  let name = "";
  for (let left = readWord(); left; left--) name += String.fromCharCode(view.getUint16((at += 2) - 2, true));
  return name;
};
var readList = (count, read) => {
  const all = [];
  while (count-- > 0) all.push(read());
  return all;
};
var readRequest = (clients, nextName) => ({
  number: readNumber(),
  fence: readNumber(),
  deadline: readNumber(),
  hold: readNumber(),
  client: (
    /** @type {string} */
    clients.get(readWord())
  ),
  mode: MODES[readWord()],
  limit: readWord(),
  names: readList(readWord(), nextName)
});
var writeName = (name) => {
  view.setUint32((at += 4) - 4, name.length, true);
  for (let i = 0; i < name.length; i++) view.setUint16((at += 2) - 2, name.charCodeAt(i), true);
};

// glue/core/own-member.js
var hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
var ownMember = (object, key, otherwise) => {
  const value = hasOwn(object, key) ? (
    /** @type {any} */
    object[key]
  ) : void 0;
  return value === void 0 ? otherwise : value;
};
var optionsOf = (options) => {
  const names = [];
  for (const name in options) if (hasOwn(
    /** @type {object} */
    options,
    name
  ) || !(name in Object.prototype)) names.push(name);
  return names;
};

// glue/core/snapshot.js
var decodeSnapshot = (bytes) => {
  seek(bytes.buffer, bytes.byteOffset + 4);
  const memberCount = readWord();
  const time2 = readNumber();
  const fence = readNumber();
  const lastHandle = readWord();
  const nameCount = readWord();
  const heldCount = readWord();
  const pendingCount = readWord();
  const clients = /* @__PURE__ */ new Map();
  const members = readList(memberCount, () => {
    const last = readNumber();
    const handle = readWord();
    const client = readName();
    clients.set(handle, client);
    return { client, handle, last };
  });
  const names = readList(nameCount, readName);
  const nextRequest = () => readRequest(clients, () => names[readWord()]);
  return { members, held: readList(heldCount, nextRequest), pending: readList(pendingCount, nextRequest), time: time2, fence, lastHandle };
};

// glue/core/core.js
var TOO_LARGE = 2 ** 31;
var REQUEST_FIELDS = 64;
var check = (result) => {
  if (result < 0) throw new CoreError(result);
  return result;
};
var brief = (value) => Object(value) === value ? Object.prototype.toString.call(value) : String(value).slice(0, 60);
var numberOf = (value) => typeof value === "number" ? value : NaN;
var namesOf = (list) => Array.isArray(list) && list.every((name) => typeof name === "string") ? list : [];
var exportsOf = ({ exports: exports2 }) => (
  /** @type {Exports} */
  /** @type {unknown} */
  exports2
);
var wrapCore = (exports2, fence = 0, seed = Math.random() * 2 ** 32) => {
  let handles;
  let clients;
  let changes = 0;
  const forgetMembers = () => {
    handles = /* @__PURE__ */ new Map();
    clients = /* @__PURE__ */ new Map();
  };
  const addMember = (client, handle) => {
    handles.set(client, handle);
    clients.set(handle, client);
  };
  const go = (place) => seek(exports2.memory.buffer, place);
  const handleOf = (client) => handles.get(client) || 0;
  const scratch = (size) => check(size < TOO_LARGE ? exports2.scratch(size) : OUT_OF_MEMORY);
  const writeNames = (names) => {
    let length = 0;
    for (const name of names) length += name.length + 2;
    if (length) go(scratch(length * 2));
    for (const name of names) writeName(name);
    return length;
  };
  const perform = (operation) => {
    const { type, client, number, request, mode, names, now: now3 } = operation;
    changes++;
    const all = namesOf(type === "join" ? [client] : names);
    const length = writeNames(all);
    const limit = ownMember(operation, "limit", 0);
    const wait = ownMember(operation, "wait", Infinity);
    const hold2 = ownMember(operation, "hold", Infinity);
    const flags = (ownMember(operation, "ifAvailable") ? IF_AVAILABLE : 0) | (ownMember(operation, "steal") ? STEAL : 0);
    const count = typeof limit === "number" && limit >>> 0 === limit ? limit : -1;
    return exports2.apply(
      /** @type {readonly unknown[]} */
      OPERATIONS.indexOf(type),
      handleOf(client),
      numberOf(number),
      numberOf(request),
      numberOf(wait),
      numberOf(hold2),
      numberOf(now3),
      count < 0 ? -1 : (
        /** @type {readonly unknown[]} */
        MODES.indexOf(mode)
      ),
      count,
      flags,
      all.length,
      length
    );
  };
  const snapshot = () => {
    const size = check(exports2.snapshot());
    return new Uint8Array(exports2.memory.buffer, exports2.scratch(0), size).slice();
  };
  const reset = (above) => {
    check(exports2.reset(above, seed));
    changes++;
    forgetMembers();
  };
  const restore = (bytes) => {
    if (IS_PACKAGE && !(ArrayBuffer.isView(bytes) && bytes.BYTES_PER_ELEMENT === 1)) {
      throw new TypeError(`restore() needs the bytes of a snapshot: a Uint8Array, not ${brief(bytes)}.`);
    }
    const at2 = scratch(bytes.length + 1);
    new Uint8Array(exports2.memory.buffer, at2).set(bytes);
    check(exports2.restore(bytes.length));
    changes++;
    forgetMembers();
    for (const { client, handle } of decodeSnapshot(bytes).members) addMember(client, handle);
  };
  const apply = (operation) => {
    if (IS_PACKAGE && !operation) throw new TypeError(`apply() needs an operation: an object, not ${String(operation)}.`);
    const status = perform(operation);
    if (status < OK || status > STALE) throw new CoreError(status, operation);
    const count = exports2.eventCount();
    const events = [];
    if (count) go(exports2.events());
    for (let left = count; left; left--) {
      const type = (
        /** @type {LockEvent['type']} */
        EVENTS[readWord()]
      );
      const handle = readWord();
      if (operation.type === "join") addMember(operation.client, handle);
      events.push({ type, client: (
        /** @type {string} */
        clients.get(handle)
      ), number: readNumber(), fence: readNumber() });
    }
    if (operation.type === "gone") {
      clients.delete(
        /** @type {number} */
        handles.get(operation.client)
      );
      handles.delete(operation.client);
    }
    return events;
  };
  const requests = function* () {
    const names = /* @__PURE__ */ new Map();
    const began = changes;
    for (let at2 = 0; at2 = exports2.nextRequest(at2); ) {
      let place = 0;
      const nextName = () => {
        const nameAt = exports2.requestName(at2, place++);
        if (!names.has(nameAt)) {
          go(nameAt);
          names.set(nameAt, readName());
        }
        return (
          /** @type {string} */
          names.get(nameAt)
        );
      };
      go(at2 + REQUEST_FIELDS);
      yield readRequest(clients, nextName);
      if (changes !== began) throw new Error("The state was changed before the iteration over it had ended.");
    }
  };
  reset(fence);
  return {
    apply,
    foresee(operations) {
      if (exports2.fork() < 0) return [];
      const [handlesBefore, clientsBefore] = [new Map(handles), new Map(clients)];
      try {
        return (
          /** @type {LockEvent[]} */
          [].concat(...operations.map(apply))
        );
      } catch {
        return [];
      } finally {
        exports2.rejoin();
        handles = handlesBefore;
        clients = clientsBefore;
      }
    },
    raise: (above) => void check(exports2.raise(above)),
    reset,
    snapshot,
    restore,
    // The script-tag build does not use it.
    requests: (
      /** @type {Core['requests']} */
      IS_PACKAGE && requests
    ),
    state: () => decodeSnapshot(snapshot()),
    hash: exports2.hash,
    time: exports2.time,
    nextDeadline: exports2.nextDeadline,
    requestCount: exports2.requestCount,
    isUndisputed: (client, number) => !!exports2.isUndisputed(handleOf(client), number),
    useByOthers: (client, names) => USES[exports2.useByOthers(handleOf(client), writeNames(names))],
    last: (client) => exports2.last(handleOf(client))
  };
};

// glue/core/text.js
var ESCAPES = "@~";
var decode = (text2, alphabet2) => new Uint8Array(
  /** @type {string[]} */
  text2.match(/[@~]?[^]/g).map(
    (each) => alphabet2.indexOf(each[1] || each) + (ESCAPES.indexOf(each[0]) + 1) * alphabet2.length
  )
);

// glue/core/wasm.js
var module2;
var instantiate = () => {
  module2 = module2 || new WebAssembly.Module(decode(text, alphabet));
  return exportsOf(new WebAssembly.Instance(module2));
};
var assertAllowed = () => {
  try {
    new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
  } catch (error) {
    throw new Error("Lockkeeper: Wasm is refused; use the nowasm build", { cause: error });
  }
};
var createCore = () => wrapCore(instantiate());

// glue/platform/node.js
var import_node_crypto2 = require("node:crypto");
var import_node_fs11 = require("node:fs");
var import_node_path6 = require("node:path");

// glue/platform/node/arrivals.js
var import_node_worker_threads2 = require("node:worker_threads");

// glue/platform/node/channel.js
var import_node_worker_threads = require("node:worker_threads");
var ATTEMPTS = 10;
var openChannel = (name, hear) => {
  const channel = new import_node_worker_threads.BroadcastChannel(name);
  if (hear) channel.onmessage = /** @type {any} */
  hear;
  channel.unref?.();
  return channel;
};
var post = (find2, close, message) => {
  for (let attempt = 1; ; attempt++) {
    try {
      find2().postMessage(message);
      return;
    } catch (error) {
      close();
      if (attempt === ATTEMPTS) throw error;
    }
  }
};

// glue/platform/node/arrivals.js
var createArrivals = (title) => {
  let channel;
  let arrived = false;
  const open3 = () => openChannel(`${title()}:arrivals`, () => {
    arrived = true;
  });
  const close = () => {
    channel?.close();
    channel = void 0;
  };
  return {
    /** Announces this context, and hears others from now on: a channel that can post can also receive. */
    announce: () => post(() => channel = channel || open3(), close, 0),
    /** Whether another context may have announced itself since the last call. True if this context has no open channel. */
    any() {
      if (!channel) return true;
      while ((0, import_node_worker_threads2.receiveMessageOnPort)(
        /** @type {any} */
        channel
      )) arrived = true;
      const result = arrived;
      arrived = false;
      return result;
    },
    close
  };
};

// glue/platform/node/bell.js
var import_node_fs = require("node:fs");

// glue/platform/node/timers.js
var import_node_perf_hooks = require("node:perf_hooks");
var timers = __toESM(require("node:timers"), 1);

// glue/platform/node/process.js
var import_node_module = require("node:module");
var process = globalThis.process ?? (0, import_node_module.createRequire)("/")("process");

// glue/platform/wall-clock.js
var LATEST = 8e12;
var { now } = Date;
var readWallClock = () => {
  const time2 = now();
  return time2 > 0 && time2 < LATEST ? Math.floor(time2) : 0;
};

// glue/platform/node/timers.js
var { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = timers;
var { hrtime } = process;
var readClock = import_node_perf_hooks.performance.now.bind(import_node_perf_hooks.performance);

// glue/platform/node/vigil.js
var import_node_os = __toESM(require("node:os"), 1);
var ASLEEP = 0;
var AWAKE = 1;
var RUNG = 2;
var LONGEST2 = 0.2;
var MOST = 1e5;
var SELDOM = 16;
var countProcessors = () => import_node_os.default.availableParallelism?.() ?? import_node_os.default.cpus().length;
var ringAwake = (word) => Atomics.compareExchange(word, 0, AWAKE, RUNG) !== ASLEEP;
var createVigil = (processors = countProcessors(), clock = readClock) => {
  const word = new Int32Array(new SharedArrayBuffer(4));
  let pause = 0;
  let skipped = 0;
  return {
    word,
    /**
     * Stays awake until there is news, for LONGEST milliseconds at most.
     * @param {() => boolean} look returns whether there is news
     */
    keep(look2) {
      if (processors < 2 || skipped++ < pause) return;
      skipped = 0;
      Atomics.store(word, 0, AWAKE);
      const isRung = () => Atomics.exchange(word, 0, ASLEEP) === RUNG;
      let found;
      try {
        found = look2();
      } catch (error) {
        isRung();
        throw error;
      }
      const end2 = clock() + LONGEST2;
      for (let looks = 0; looks < MOST && !found && Atomics.load(word, 0) === AWAKE && clock() < end2; looks++) ;
      if (isRung()) found = look2() || found;
      pause = found ? 0 : Math.min(pause * 2 + 1, SELDOM);
    }
  };
};

// glue/platform/node/bell.js
var LOOK = 20;
var ACQUAINTED = 16;
var createThreadBell = (title) => {
  const vigil = createVigil();
  let name = "";
  let own;
  const others = /* @__PURE__ */ new Map();
  const open3 = (client, hear) => openChannel(`${title()}:${client}`, hear);
  const find2 = (client) => {
    let other = others.get(client);
    if (!other) others.set(client, other = { channel: open3(client), rings: 0, word: void 0 });
    return other;
  };
  const introduced = ({ from, word }) => {
    const other = others.get(from);
    if (other) other.word = word;
  };
  const forget = (client) => {
    others.get(client)?.channel.close();
    others.delete(client);
  };
  const send = (client, message) => post(() => find2(client).channel, () => forget(client), message);
  const bell = {
    kernel: void 0,
    /** @param {string} client @param {Ears} ears */
    listen(client, { rung }) {
      name = client;
      own = open3(client, ({ data }) => {
        if (data && data.word instanceof Int32Array) introduced(data);
        else rung(data, () => {
        });
      });
    },
    /** @param {string} client @param {Message} [message] */
    ring(client, message) {
      const other = find2(client);
      if (!message && other.word && ringAwake(other.word)) return;
      send(client, message || 0);
      if (++other.rings === ACQUAINTED) send(client, { from: name, word: vigil.word });
    },
    /** @param {string[]} clients @param {Message} [message] */
    ringAll: (clients, message) => clients.forEach((client) => bell.ring(client, message)),
    stayAwake: vigil.keep,
    forget,
    close() {
      own?.close();
      [...others.keys()].forEach(forget);
    }
  };
  return bell;
};
var watchFile = (path, onChange, platform) => {
  const poll = () => {
    const timer2 = setInterval(onChange, LOOK).unref();
    return () => clearInterval(timer2);
  };
  if (platform === "win32") return poll();
  let stop = () => {
  };
  try {
    const watcher = (0, import_node_fs.watch)(path, { persistent: false }, onChange);
    watcher.on("error", () => {
      watcher.close();
      stop = poll();
    });
    stop = () => watcher.close();
  } catch {
    stop = poll();
  }
  return () => stop();
};
var createProcessBell = (platform, lines) => {
  let ears;
  const watches2 = /* @__PURE__ */ new Map();
  const stop = (what) => {
    watches2.get(what)?.stop();
    watches2.delete(what);
  };
  const start = (what, path) => {
    if (watches2.get(what)?.path === path) return;
    stop(what);
    watches2.set(what, { path, stop: watchFile(path, () => ears[what](), platform) });
    ears.rung(void 0, () => {
    });
  };
  const rest = () => {
    stop("stirred");
    stop("alarmed");
  };
  return {
    listen(client, given) {
      ears = given;
      lines.listen(client, ears.rung, ears.cut);
    },
    ring: lines.say,
    ringAll(clients, message, path) {
      const now3 = /* @__PURE__ */ new Date();
      try {
        (0, import_node_fs.utimesSync)(path, now3, now3);
      } catch {
      }
    },
    stayAwake() {
    },
    forget: lines.forget,
    kernel: {
      heed: (path) => start("alarmed", path),
      attend(path) {
        if (watches2.get("alarmed")?.path !== path) start("stirred", path);
      },
      unattend: () => stop("stirred"),
      rest
    },
    close() {
      rest();
      lines.close();
    }
  };
};

// glue/platform/node/descriptors.js
var descriptors_exports = {};
__export(descriptors_exports, {
  bury: () => bury,
  holdAlive: () => holdAlive,
  isAlive: () => isAlive,
  pathOf: () => pathOf,
  watchAlive: () => watchAlive
});
var import_node_buffer = require("node:buffer");
var import_node_fs2 = require("node:fs");
var import_promises = require("node:fs/promises");
var import_node_path = require("node:path");
var import_node_worker_threads3 = require("node:worker_threads");

// glue/platform/node/errors.js
var PASSING = [
  "EAGAIN",
  "EBUSY",
  "EDQUOT",
  "EINTR",
  "EIO",
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  "ENOMEM",
  "ENOSPC",
  "ETXTBSY",
  "out-of-memory"
];
var codeOf = (error) => (
  /** @type {NodeJS.ErrnoException} */
  error.code || ""
);
var mayPass = (error) => PASSING.includes(codeOf(error));

// glue/platform/node/descriptors.js
var LOOK2 = 20;
var watches = /* @__PURE__ */ new Set();
var timer;
var proven = false;
var tried = false;
var look = (each) => {
  if (each.lives() || !watches.delete(each)) return;
  each.stop();
  each.onDeath();
};
var setLooking = () => {
  const needed = [...watches].some(({ told }) => !told || !proven);
  if (needed) timer = timer || setInterval(lookAtAll, LOOK2).unref();
  else {
    clearInterval(timer);
    timer = void 0;
  }
};
var lookAtAll = () => {
  [...watches].forEach(look);
  setLooking();
};
var watchFile2 = (descriptor, onEnd) => {
  const watcher = (0, import_node_fs2.watch)(`/proc/self/fd/${descriptor}`, { persistent: false }, onEnd);
  watcher.on("error", () => {
  });
  return () => watcher.close();
};
var tryOut = (path) => {
  if (tried) return;
  tried = true;
  try {
    const descriptor = (0, import_node_fs2.openSync)(path, "wx+", 384);
    (0, import_node_fs2.unlinkSync)(path);
    const stop = watchFile2(descriptor, () => {
      proven = true;
      stop();
      setLooking();
    });
    (0, import_node_fs2.closeSync)(descriptor);
  } catch {
  }
};
var readSign = (path) => {
  const [descriptor, inode, mark] = (0, import_node_fs2.readFileSync)(path, "latin1").split(" ");
  return { descriptor: Number(descriptor), inode, mark: import_node_buffer.Buffer.from(mark) };
};
var isOpen = ({ descriptor, inode, mark }) => {
  try {
    const found = (0, import_node_fs2.fstatSync)(descriptor);
    const read = import_node_buffer.Buffer.alloc(mark.length);
    return found.isFile() && String(found.ino) === inode && (0, import_node_fs2.readSync)(descriptor, read, 0, read.length, 0) === read.length && read.equals(mark);
  } catch (error) {
    return !["EBADF", "ESPIPE", "EISDIR"].includes(codeOf(error));
  }
};
var find = (path) => {
  let known;
  const sign = () => known = known || readSign(path);
  return {
    /** Throws if the file is missing, or cannot be read now. */
    descriptor: () => sign().descriptor,
    /** Whether the thread lives, or may live. */
    lives() {
      try {
        return isOpen(sign());
      } catch (error) {
        return codeOf(error) !== "ENOENT";
      }
    }
  };
};
var pathOf = (directory, client) => (0, import_node_path.join)(directory, client);
var bury = (path) => {
  try {
    (0, import_node_fs2.unlinkSync)(path);
  } catch {
  }
};
var holdAlive = async (path) => {
  const handle = await (0, import_promises.open)(`${path}-`, "wx+", 384);
  const release = () => {
    bury(path);
    handle.close().catch(() => {
    });
  };
  try {
    (0, import_node_fs2.unlinkSync)(`${path}-`);
    const mark = (0, import_node_path.basename)(path);
    (0, import_node_fs2.writeSync)(handle.fd, mark);
    (0, import_node_fs2.writeFileSync)(path, `${handle.fd} ${(0, import_node_fs2.fstatSync)(handle.fd).ino} ${mark}`, { flag: "wx", mode: 384 });
  } catch (error) {
    release();
    throw error;
  }
  const { port1 } = new import_node_worker_threads3.MessageChannel();
  port1.on("message", () => {
  });
  port1.unref();
  return {
    ref: () => port1.ref(),
    unref: () => port1.unref(),
    close() {
      port1.close();
      release();
    }
  };
};
var watchAlive = (path, onDeath) => {
  const { descriptor, lives } = find(path);
  const own = { lives, onDeath, told: false, stop() {
  } };
  watches.add(own);
  try {
    if (process.platform === "linux") {
      own.stop = watchFile2(descriptor(), () => look(own));
      own.told = true;
      tryOut(`${path}+`);
    }
  } catch {
  }
  setImmediate(() => look(own));
  setLooking();
  return () => {
    watches.delete(own);
    own.stop();
    setLooking();
  };
};
var isAlive = async (path) => find(path).lives();

// glue/platform/node/directory.js
var import_node_buffer2 = require("node:buffer");
var import_node_crypto = require("node:crypto");
var import_node_fs4 = require("node:fs");
var import_node_os2 = require("node:os");
var import_node_path3 = require("node:path");

// glue/platform/node/leftovers.js
var import_node_fs3 = require("node:fs");
var import_node_path2 = require("node:path");
var ABSENT = ["ENOENT", "ENOTDIR"];
var { O_CREAT, O_RDONLY, O_TRUNC, O_WRONLY } = import_node_fs3.constants;
var NO_LINK = (import_node_fs3.constants.O_NOFOLLOW || 0) | (import_node_fs3.constants.O_NONBLOCK || 0);
var DAY = 24 * 3600 * 1e3;
var UNUSED = 7 * DAY;
var MARK = "unused";
var MOST2 = 100;
var tell = (read) => {
  try {
    return read();
  } catch (error) {
    if (mayPass(error)) throw error;
    return "";
  }
};
var namespaceOf = () => tell(() => (0, import_node_fs3.readlinkSync)("/proc/self/ns/pid").replace(/\D/g, ""));
var bootOf = () => tell(() => (0, import_node_fs3.readFileSync)("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8));
var userId = () => process.geteuid?.();
var isOurs = (path) => {
  const found = (0, import_node_fs3.lstatSync)(path, { throwIfNoEntry: false });
  return !!found && (userId() === void 0 || found.uid === userId());
};
var isPrivate = (path) => {
  const found = (0, import_node_fs3.lstatSync)(path);
  return found.isDirectory() && (userId() === void 0 || found.uid === userId() && !(found.mode & 63));
};
var startOf = (pid) => tell(() => (0, import_node_fs3.readFileSync)(`/proc/${pid}/stat`, "latin1").replace(/^.*\)/s, "").split(" ")[20]);
var hasEnded = (pid) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
};
var touchedAt = (path) => {
  try {
    return (0, import_node_fs3.lstatSync)(path).ctimeMs;
  } catch (error) {
    if (!ABSENT.includes(codeOf(error))) throw error;
    return 0;
  }
};
var clockAhead = () => {
  if (process.platform !== "linux") return 0;
  if (!namespaceOf()) return NaN;
  const own = tell(() => (0, import_node_fs3.readlinkSync)("/proc/self/ns/time"));
  if (!own) return 0;
  const [, seconds, nanoseconds] = tell(() => (0, import_node_fs3.readlinkSync)("/proc/self/ns/time_for_children")) === own && /^monotonic +(-?\d+) +(\d+)$/m.exec(tell(() => (0, import_node_fs3.readFileSync)("/proc/self/timens_offsets", "latin1"))) || [];
  return Number(seconds) * 1e3 + Number(nanoseconds) / 1e6;
};
var steadyTime = () => Number(hrtime.bigint() / 1000000n) - clockAhead();
var readClock2 = () => ({ boot: bootOf(), steady: steadyTime(), wall: readWallClock() });
var isKnown = ({ boot, steady }) => (!!boot || process.platform !== "linux") && steady >= 0;
var withFile = (path, flags, act) => {
  const descriptor = (0, import_node_fs3.openSync)(path, flags | NO_LINK, 384);
  try {
    return act(descriptor);
  } finally {
    (0, import_node_fs3.closeSync)(descriptor);
  }
};
var readMark = (path) => {
  try {
    return JSON.parse(withFile(path, O_RDONLY, (descriptor) => (0, import_node_fs3.readFileSync)(descriptor, "utf8"))) || void 0;
  } catch {
    return void 0;
  }
};
var passedSince = ({ boot, steady, wall, passed }, now3) => {
  if (boot === now3.boot) return passed + (now3.steady - steady);
  return Math.min(passed + Math.max(now3.wall - wall, 0), UNUSED - DAY);
};
var isUnused = (path, now3 = readClock2()) => {
  if (!isKnown(now3)) return false;
  const mark = (0, import_node_path2.join)(path, MARK);
  withFile(mark, O_WRONLY | O_CREAT, () => {
  });
  const places = [path, (0, import_node_path2.join)(path, "log", "0"), ...(0, import_node_fs3.readdirSync)(path).map((each) => (0, import_node_path2.join)(path, each, "log", "0"))];
  const touched = places.map(touchedAt).join();
  const before = readMark(mark);
  const passed = before && before.touched === touched ? passedSince(before, now3) : 0;
  if (passed > UNUSED) return true;
  const text2 = JSON.stringify({ ...now3, passed: Math.max(passed, 0) || 0, touched });
  withFile(mark, O_WRONLY | O_TRUNC, (descriptor) => (0, import_node_fs3.writeFileSync)(descriptor, text2));
  return false;
};
var tryTo = (clean) => {
  try {
    clean();
  } catch {
  }
};
var sweep = (parent, pattern, isLeftover) => tryTo(() => {
  const entries = (0, import_node_fs3.readdirSync)(parent).filter((entry) => pattern.test(entry));
  const first = Math.floor(Math.random() * entries.length);
  for (const entry of [...entries.slice(first), ...entries.slice(0, first)].slice(0, MOST2)) {
    const path = (0, import_node_path2.join)(parent, entry);
    tryTo(() => isPrivate(path) && isLeftover(entry, path) && (0, import_node_fs3.rmSync)(path, { recursive: true, force: true }));
  }
});

// glue/platform/node/directory.js
var roots = () => process.platform === "win32" ? [(0, import_node_path3.join)((0, import_node_os2.userInfo)().homedir, "AppData", "Local", "Temp")] : ["/tmp", "/dev/shm", "/var/tmp"];
var UNUSABLE = [...ABSENT, "EROFS", "ELOOP", "EACCES", "EPERM", "ERR_ACCESS_DENIED"];
var make = (path) => {
  try {
    (0, import_node_fs4.mkdirSync)(path, { mode: 448 });
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return false;
  }
};
var check2 = (path, advice) => {
  const user = userId();
  if (user === void 0) return;
  const found = (0, import_node_fs4.lstatSync)(path);
  const fault = !found.isDirectory() ? "is no directory" : found.uid !== user ? "belongs to another user" : found.mode & 63 ? "can be entered by other users" : "";
  if (fault) throw new Error(`Lockkeeper: ${path} ${fault}. ${advice}`);
};
var remedyFor = (code, parents, alternative) => {
  const places = parents.join(" or ");
  const either = alternative && `, or ${alternative}`;
  if (code === "ERR_ACCESS_DENIED") return `Give this process --allow-fs-read and --allow-fs-write for ${places}${either}`;
  const isHopeless = [...ABSENT, "EROFS", "ELOOP"].includes(code);
  const isMissing = code === "ENOENT" && !parents.some((parent) => tell(() => (0, import_node_fs4.statSync)(parent) ? parent : ""));
  if (isHopeless && !isMissing && alternative) return `Instead, ${alternative}`;
  return `${isMissing ? "Create the directory" : "Let this user write to"} ${places}${either}`;
};
var openIn = (title, parents, advice, alternative = "") => {
  const paths = parents.map((parent) => (0, import_node_path3.join)(parent, title));
  const known = paths.find((path) => tell(() => isOurs(path) ? path : ""));
  let failure;
  for (const path of known ? [known] : paths) {
    try {
      const isNew = make(path);
      check2(path, advice);
      return { path, isNew };
    } catch (error) {
      if (!UNUSABLE.includes(codeOf(error))) throw error;
      failure = failure || /** @type {Error} */
      error;
    }
  }
  const remedy = remedyFor(codeOf(failure), parents, alternative);
  throw new Error(`Lockkeeper: no directory can be made for the locks (${failure?.message}). ${remedy}.`, { cause: failure });
};
var hashOf = (name) => (0, import_node_crypto.createHash)("sha256").update(import_node_buffer2.Buffer.from(name, "utf16le")).digest("base64url").slice(0, 12);
var CHANGED_USER = "Where the process changes its user (setuid), it must do so before the first lock is asked for; where another user has made this directory, it must be removed.";
var PROCESS = /^lockkeeper-process-(\d+)-([\da-f]*-\d*)-(\d*)$/;
var ownDirectory = "";
var processDirectory = () => ownDirectory;
var openProcess = () => {
  const boot = bootOf();
  const namespace = namespaceOf();
  const isKnown2 = !!boot && !!namespace || process.platform !== "linux";
  const here = `${boot}-${namespace}`;
  const { path, isNew } = openIn(`lockkeeper-process-${process.pid}-${here}-${startOf("self")}`, roots(), CHANGED_USER);
  ownDirectory = path;
  if (isNew) {
    sweep((0, import_node_path3.dirname)(path), PROCESS, (entry, place) => {
      const [, pid, where, start] = (
        /** @type {RegExpExecArray} */
        PROCESS.exec(entry)
      );
      if (place === path) return false;
      const isNear = isKnown2 && where === here;
      if (isNear && hasEnded(Number(pid))) return true;
      return !(isNear && startOf(Number(pid)) === start) && isUnused(place);
    });
  }
  return path;
};
var UNKNOWN_BOOT = "scope 'host' needs /proc/sys/kernel/random/boot_id, to meet the processes that can read it. Let this process read it (systemd: ProcSubset=all; Node's permission model: --allow-fs-read=/proc/).";
var openHost = (name, parent) => {
  const user = userId() ?? tell(() => (0, import_node_os2.userInfo)().username);
  const alternative = "give all processes the same other directory: createLockManager({ scope: 'host', directory })";
  const base = openIn(`lockkeeper-${user}`, parent === void 0 ? roots() : [parent], `Remove it, or ${alternative}.`, alternative).path;
  const boot = bootOf();
  if (!boot && process.platform === "linux") throw new Error(`Lockkeeper: ${UNKNOWN_BOOT}`);
  const path = (0, import_node_path3.join)(base, `host-${boot}-${hashOf(name)}`);
  make(path);
  sweep(base, /^host-/, (entry, place) => !entry.startsWith(`host-${boot}-`) && isUnused(place));
  return path;
};
var openDirectory = (name, { scope = "process", directory }) => {
  if (scope === "host") {
    try {
      openProcess();
    } catch (error) {
      if (!/** @type {Error} */
      error.cause) throw error;
    }
    return openHost(name, directory);
  }
  const path = (0, import_node_path3.join)(openProcess(), hashOf(name));
  make(path);
  return path;
};

// glue/platform/node/format.js
var FORMAT = 5;
var SIGN = String.fromCharCode("h".charCodeAt(0) + FORMAT - 5);
var SIZES = { first: 16 * 1024, next: 128 * 1024, marks: 16 * 1024 };
var HEADS = 4;
var newerJournal = (folder) => new Error(`Lockkeeper: ${folder} was written by a newer version of the package. Use that version here too, or end all that use it, and remove it.`);
var formerJournal = (folder) => Object.assign(new Error(
  `Lockkeeper: an older version of the package is at work in ${folder}. End its threads and processes, or give them this version.`
), { isFormer: true });
var missingFiles = (folder) => new Error(`Lockkeeper: files are missing in ${folder}. End all threads and processes that use it, and remove it.`);
var removedJournal = () => Object.assign(new Error("the journal was removed"), { code: "ENOENT" });

// glue/platform/node/journal.js
var import_node_buffer6 = require("node:buffer");
var import_node_fs8 = require("node:fs");

// glue/platform/node/records.js
var REQUEST = 0;
var DROP = 1;
var FORCE_RELEASE = 2;
var JOIN = 3;
var GONE = 4;
var TICK = 5;
var EXCLUSIVE = 1;
var IF_AVAILABLE2 = 2;
var STEAL2 = 4;
var LIMITED = 8;
var PLAIN = /^[ !#-[\]-~]*$/;
var quote = (text2) => PLAIN.test(text2) ? `"${text2}"` : JSON.stringify(text2);
var listOf = (names) => names.length === 1 ? quote(names[0]) : names.map(quote).join();
var durationOf = (duration) => Number(duration) < Infinity ? duration : "null";
var encodeOperation = (operation) => {
  switch (operation.type) {
    case "request": {
      const own = (key) => ownMember(operation, key);
      const limit = own("limit");
      const flags = (operation.mode === "exclusive" ? EXCLUSIVE : 0) + (own("ifAvailable") ? IF_AVAILABLE2 : 0) + (own("steal") ? STEAL2 : 0) + (limit ? LIMITED : 0);
      const start = `[${REQUEST},${flags},${durationOf(own("wait"))},${durationOf(own("hold"))},`;
      return `${start}${limit ? `${limit},` : ""}${listOf(operation.names)}]`;
    }
    case "drop":
      return `[${DROP},${operation.request}]`;
    case "force-release":
      return `[${FORCE_RELEASE},${listOf(operation.names)}]`;
    case "join":
      return `[${JOIN}]`;
    case "gone":
      return `[${GONE},${JSON.stringify(operation.client)}]`;
    default:
      return `[${TICK},${operation.now}]`;
  }
};
var encode = ({ by, operations }) => {
  let first = 0;
  let text2 = "";
  for (const operation of operations) {
    if (!first && hasOwn(operation, "number")) first = operation.number;
    text2 += `,${encodeOperation(operation)}`;
  }
  return `[${quote(by)},${first}${text2}]`;
};
var decodeOperation = (client, number, fields) => {
  switch (fields[0]) {
    case REQUEST: {
      const [, flags, wait, hold2, ...rest] = fields;
      const limit = flags & LIMITED ? (
        /** @type {number} */
        rest.shift()
      ) : 0;
      const names = (
        /** @type {string[]} */
        rest
      );
      const operation = { type: "request", client, number, names, mode: flags & EXCLUSIVE ? "exclusive" : "shared" };
      if (limit) operation.limit = limit;
      if (flags & IF_AVAILABLE2) operation.ifAvailable = true;
      if (flags & STEAL2) operation.steal = true;
      if (wait !== null) operation.wait = wait;
      if (hold2 !== null) operation.hold = hold2;
      return operation;
    }
    case DROP:
      return { type: "drop", client, number, request: fields[1] };
    case FORCE_RELEASE:
      return { type: "force-release", client, number, names: (
        /** @type {string[]} */
        fields.slice(1)
      ) };
    case JOIN:
      return { type: "join", client, number };
    case GONE:
      return { type: "gone", client: fields[1] };
    default:
      return { type: "tick", now: fields[1] };
  }
};
var decode2 = ([by, first, ...fields]) => {
  let number = first;
  const operations = [];
  for (const each of fields) {
    if (!Array.isArray(each)) return void 0;
    operations.push(decodeOperation(by, each[0] < GONE ? number++ : 0, each));
  }
  return { by, operations };
};
var entryOf = (line) => {
  if (Array.isArray(line)) return decode2(
    /** @type {Line} */
    line
  );
  if (typeof line !== "object" || line === null) return void 0;
  const [head, close, mark, state] = ["head", "close", "mark", "state"].map((key) => ownMember(line, key));
  if (head !== void 0) return typeof head === "number" ? line : void 0;
  return typeof close === "string" || typeof mark === "number" && typeof state === "string" ? line : void 0;
};

// glue/platform/node/beginning.js
var HEAD = '{"head":';
var MARK2 = '\n{"mark":';
var CLOSE = '\n{"close":';
var lineAt = (bytes, start) => {
  const end2 = bytes.indexOf("\n", start);
  if (end2 < 0) return void 0;
  try {
    return (
      /** @type {Kind | undefined} */
      entryOf(JSON.parse(bytes.toString("utf8", start, end2)))
    );
  } catch {
    return void 0;
  }
};
var findBeginning = (bytes) => {
  const start = bytes.indexOf(HEAD);
  if (start < 0 || start > 0 && bytes[start - 1] !== CLOSE.charCodeAt(0)) return void 0;
  const head = lineAt(bytes, start);
  if (!head) return void 0;
  const closed = bytes.indexOf(CLOSE, start);
  if (closed >= 0) {
    const close = lineAt(bytes, closed + 1);
    return close && { start, head, close, mark: void 0 };
  }
  const marked = bytes.lastIndexOf(MARK2);
  return { start, head, close: void 0, mark: marked > start ? lineAt(bytes, marked + 1) : void 0 };
};

// glue/platform/node/files.js
var import_node_buffer3 = require("node:buffer");
var import_node_fs5 = require("node:fs");
var import_node_path4 = require("node:path");
var { O_APPEND, O_CREAT: O_CREAT2, O_EXCL, O_RDWR } = import_node_fs5.constants;
var FIRST = "0";
var START = 128;
var numberOf2 = (name) => parseInt(name, 10);
var createFiles = (directory) => {
  let firstInode = 0;
  let firstStart = "";
  const folder = () => (0, import_node_path4.join)(directory(), "log");
  const path = (name) => (0, import_node_path4.join)(folder(), name);
  const list = () => (0, import_node_fs5.readdirSync)(folder());
  const open3 = (name, flags = 0) => (0, import_node_fs5.openSync)(path(name), flags | O_RDWR | O_APPEND, 384);
  const close = (descriptor) => {
    try {
      (0, import_node_fs5.closeSync)(descriptor);
    } catch {
    }
  };
  const startOf2 = (descriptor) => {
    const bytes = import_node_buffer3.Buffer.alloc(START);
    return bytes.toString("latin1", 0, (0, import_node_fs5.readSync)(descriptor, bytes, 0, START, 0));
  };
  return {
    get folder() {
      return folder();
    },
    path,
    /** Opens the first file, and creates it if it is missing. @returns {number} */
    openFirst() {
      try {
        (0, import_node_fs5.mkdirSync)(folder(), { mode: 448 });
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error;
      }
      const descriptor = open3(FIRST, O_CREAT2);
      firstInode = (0, import_node_fs5.fstatSync)(descriptor).ino;
      return descriptor;
    },
    /** @param {string} name @returns {number} -1 if it is missing */
    open(name) {
      try {
        return open3(name);
      } catch (error) {
        if (codeOf(error) !== "ENOENT") throw error;
        return -1;
      }
    },
    close,
    startOf: startOf2,
    /** Call it before leaving the first file for another one. @param {number} descriptor */
    leaveFirst(descriptor) {
      firstStart = startOf2(descriptor);
    },
    isFirstRemoved: () => (0, import_node_fs5.statSync)(path(FIRST), { throwIfNoEntry: false })?.ino !== firstInode,
    /** Whether the first file, since left, was emptied, and another journal was begun there. An empty file does no harm. */
    isBegunAnew() {
      const first = open3(FIRST);
      try {
        const start = startOf2(first);
        return start !== "" && (firstStart === "" || !start.startsWith(firstStart));
      } finally {
        close(first);
      }
    },
    /** @param {string} name */
    has: (name) => !!(0, import_node_fs5.statSync)(path(name), { throwIfNoEntry: false }),
    /** Creates a new, empty file. @param {string} name */
    create: (name) => (0, import_node_fs5.closeSync)(open3(name, O_CREAT2 | O_EXCL)),
    /**
     * Whether the journal goes on in files with higher numbers. If so, and this file has no head, it was removed or emptied.
     * @param {string} name
     * @returns {boolean}
     */
    goesOnAfter: (name) => list().some((each) => {
      try {
        return numberOf2(each) > numberOf2(name) && (0, import_node_fs5.readFileSync)(path(each), "latin1").includes(`
${HEAD}`);
      } catch (error) {
        if (codeOf(error) !== "ENOENT") throw error;
        return false;
      }
    }),
    /** @returns {string[]} their names, the newest last */
    list: () => list().sort((a, b) => numberOf2(a) - numberOf2(b)),
    /**
     * Removes files that are no longer needed.
     * @param {string} current the file that is being written
     * @param {string} [unused] a file that was created as the next one, but another writer's close came first
     */
    removeOld(current, unused) {
      const number = numberOf2(current);
      for (const each of list()) {
        const unnamed = unused ? each === unused : numberOf2(each) === number && each !== current;
        const old = numberOf2(each) < number && each !== FIRST;
        if (unnamed || old) (0, import_node_fs5.rmSync)(path(each), { force: true });
      }
    },
    /** Touches the files, so that no other context takes them for leftovers. @param {string[]} names */
    touch(names) {
      const time2 = /* @__PURE__ */ new Date();
      for (const each of names) (0, import_node_fs5.utimesSync)(path(each), time2, time2);
    }
  };
};

// glue/platform/node/open-file.js
var fileOf = (name, descriptor, previousId) => ({
  name,
  descriptor,
  previousId,
  /** How far the file has been read. */
  position: 0,
  /** Whether the head has been read; the file's first bytes at that time; and the head's id, if it has one. */
  headed: false,
  start: "",
  id: (
    /** @type {string | undefined} */
    void 0
  ),
  /** Whether its head has an earlier format. */
  former: false,
  /** Whether the file before it has an earlier format. Then this one begins with an empty state. */
  heir: false,
  /** When this context has written and read beyond these positions, the next file or the next mark is due. */
  limit: Infinity,
  markAt: Infinity,
  /** Its `close`, once that is read. Nothing after it counts. */
  closing: (
    /** @type {{close: string} | undefined} */
    void 0
  )
});

// glue/platform/node/reader.js
var import_node_buffer4 = require("node:buffer");
var import_node_fs6 = require("node:fs");
var NEWLINE = 10;
var createReader = () => {
  let incoming = import_node_buffer4.Buffer.allocUnsafeSlow(16 * 1024);
  let count = 0;
  const parse2 = (line) => {
    try {
      return entryOf(JSON.parse(line));
    } catch (error) {
      if (error instanceof RangeError) throw error;
      return void 0;
    }
  };
  return {
    /** The bytes of the last read(), followed by older ones. */
    bytes: () => incoming,
    /** The whole file. @param {number} descriptor */
    readAll(descriptor) {
      const { size } = (0, import_node_fs6.fstatSync)(descriptor);
      if (incoming.length < size) incoming = import_node_buffer4.Buffer.allocUnsafeSlow(size * 2);
      return incoming.subarray(0, (0, import_node_fs6.readSync)(descriptor, incoming, 0, size, 0));
    },
    /** @param {number} descriptor @param {number} position @returns {number} how many bytes were read from there */
    read: (descriptor, position) => count = (0, import_node_fs6.readSync)(descriptor, incoming, 0, incoming.length, position),
    /**
     * Passes on the complete lines among the bytes of the last read().
     * @param {(entry: import('./beginning.js').Entry | undefined, length: number) => boolean} take gets each line's entry, and the line's
     *   length; returns whether to go on
     * @returns {boolean} whether nothing more is left to read
     */
    takeLines(take) {
      const end2 = incoming.lastIndexOf(NEWLINE, count - 1) + 1;
      if (end2 === 0 && count === incoming.length) {
        incoming = import_node_buffer4.Buffer.allocUnsafeSlow(incoming.length * 2);
        return false;
      }
      for (let start = 0; start < end2; ) {
        const stop = incoming.indexOf(NEWLINE, start);
        const entry = parse2(incoming.toString("utf8", start, stop));
        if (!take(entry, stop + 1 - start)) break;
        start = stop + 1;
      }
      return count < incoming.length;
    }
  };
};

// glue/platform/node/writer.js
var import_node_buffer5 = require("node:buffer");
var import_node_fs7 = require("node:fs");
var createWriter = () => {
  let outgoing = import_node_buffer5.Buffer.allocUnsafeSlow(16 * 1024);
  let written;
  let unread = import_node_buffer5.Buffer.allocUnsafeSlow(16 * 1024);
  let unreadLength = 0;
  const writer = {
    /** @param {number} descriptor @param {Entry} record @param {string} [before] */
    append(descriptor, record, before = "") {
      const text2 = `${before}${hasOwn(record, "by") ? encode(record) : JSON.stringify(record)}
`;
      if (text2.length * 3 > outgoing.length) outgoing = import_node_buffer5.Buffer.allocUnsafeSlow(text2.length * 4);
      const length = outgoing.write(text2);
      written = { length, record };
      if ((0, import_node_fs7.writeSync)(descriptor, outgoing, 0, length) === length) return;
      if (before) throw Object.assign(new Error("there is no space for an entry"), { code: "ENOSPC", syscall: "write" });
      writer.append(descriptor, record, "\n");
      writer.forget();
    },
    /**
     * The record that was appended last, if [count] bytes of [incoming] are just that record.
     * @param {Buffer} incoming
     * @param {number} count
     */
    takeBack(incoming, count) {
      if (count !== written?.length || incoming.compare(outgoing, 0, count, 0, count) !== 0) return void 0;
      const { record } = written;
      writer.forget();
      return record;
    },
    /** The record that was appended last, and its length; undefined if it was already taken, or if more than that was written. */
    takeLast() {
      const last = written;
      if (!last) return void 0;
      unreadLength = last.length;
      [unread, outgoing] = [outgoing, unread];
      writer.forget();
      return last;
    },
    /**
     * Whether the line that takeLast() returned last ends at [position]. It does if nobody else has written.
     * @param {number} descriptor
     * @param {number} position
     */
    isWhereTaken(descriptor, position) {
      if (!unreadLength) return true;
      const found = import_node_buffer5.Buffer.allocUnsafe(unreadLength);
      const count = (0, import_node_fs7.readSync)(descriptor, found, 0, unreadLength, position - unreadLength);
      const isThere = count === unreadLength && found.compare(unread, 0, count) === 0;
      if (isThere) unreadLength = 0;
      return isThere;
    },
    /** The record that was appended last must be read and parsed like any other. */
    forget() {
      written = void 0;
    },
    /** The next lines go to another file. */
    leaveFile() {
      writer.forget();
      unreadLength = 0;
    }
  };
  return writer;
};

// glue/platform/node/journal.js
var ATTEMPTS2 = 1e3;
var createJournal = ({ directory, randomId: randomId3, snapshot, begin, restore, apply, sizes = SIZES }) => {
  const files = createFiles(directory);
  let file = fileOf("", -1);
  let astray = true;
  let skipped = "";
  let thorough = false;
  let candidates = [];
  let attempts = 0;
  let unnamed = "";
  const reader = createReader();
  const writer = createWriter();
  const leaveFile = () => {
    const { descriptor } = file;
    file.descriptor = -1;
    if (descriptor >= 0) files.close(descriptor);
  };
  const goTo = (next) => {
    if (file.descriptor >= 0 && file.name === FIRST) files.leaveFirst(file.descriptor);
    leaveFile();
    file = next;
    writer.leaveFile();
  };
  const append = (record, before) => writer.append(file.descriptor, record, before);
  const appendHead = (state) => append({ head: FORMAT, id: randomId3(), after: file.previousId, state: import_node_buffer6.Buffer.from(state).toString("base64") }, "\n");
  const marked = (state, from) => {
    file.markAt = from + Math.max(sizes.marks, HEADS * state.length);
  };
  const takeHead = (record, mark) => {
    if (file.headed) return;
    const { head, state } = record;
    if (head > FORMAT) throw newerJournal(files.folder);
    file.former = head < FORMAT;
    const after = ownMember(record, "after");
    if (!file.former && !astray && after !== void 0 && after !== file.previousId) throw removedJournal();
    file.headed = true;
    file.id = /** @type {string | undefined} */
    ownMember(record, "id");
    if (file.former) return;
    file.limit = Math.max(file.name === FIRST ? sizes.first : sizes.next, HEADS * state.length);
    marked(state, mark ? mark.mark : 0);
    if (!astray) return;
    astray = false;
    if (mark) file.position = mark.mark;
    restore(import_node_buffer6.Buffer.from(mark ? mark.state : state, "base64"));
  };
  const take = (record) => {
    if (hasOwn(record, "head")) takeHead(record);
    else if (!file.headed) return;
    else if (hasOwn(record, "close")) file.closing = record;
    else if (file.former) return;
    else if (hasOwn(record, "mark")) marked(record.state, record.mark);
    else apply(record);
  };
  const tryOpen = (next) => {
    if (attempts++ > ATTEMPTS2) throw missingFiles(files.folder);
    const opened = files.open(next);
    if (opened >= 0) goTo(fileOf(next, opened, file.id));
    return opened >= 0;
  };
  const openNewest = () => {
    astray = true;
    skipped = "";
    do
      if (!candidates.length) candidates = files.list();
    while (!tryOpen(candidates.pop() || FIRST));
  };
  const provideHead = () => {
    const goesOn = files.goesOnAfter(file.name);
    if (file.name === FIRST && !goesOn) appendHead(begin());
    else if (file.heir) throw formerJournal(files.folder);
    else if (skipped && astray && tryOpen(skipped)) thorough = true;
    else if (astray || goesOn) openNewest();
    else if (files.isBegunAnew()) throw removedJournal();
    else appendHead(snapshot());
  };
  const follow2 = ({ close }) => {
    const { former } = file;
    candidates = [];
    if (tryOpen(close)) file.heir = former;
    else openNewest();
  };
  const leap = () => {
    if (thorough) return false;
    const beginning = findBeginning(reader.readAll(file.descriptor));
    if (!beginning) return false;
    const { start, head, close, mark } = beginning;
    if (close && head.head <= FORMAT) {
      file.former = head.head < FORMAT;
      skipped = file.former ? "" : file.name;
      follow2(close);
      return true;
    }
    file.position = start;
    takeHead(head, mark);
    return !file.former;
  };
  const takeLine = (entry, length) => {
    file.position += length;
    if (entry) take(entry);
    return !file.closing;
  };
  const readSome = () => {
    if (file.closing) {
      follow2(file.closing);
      return false;
    }
    if (astray && file.position === 0 && leap()) return false;
    const count = reader.read(file.descriptor, file.position);
    if (count === 0) return true;
    const record = file.headed && writer.takeBack(reader.bytes(), count);
    if (record) return takeLine(record, count);
    return reader.takeLines(takeLine) && !file.closing;
  };
  const read = () => {
    if (!writer.isWhereTaken(file.descriptor, file.position)) throw removedJournal();
    attempts = 0;
    for (; ; ) {
      if (!readSome()) continue;
      thorough = false;
      if (file.former) throw formerJournal(files.folder);
      if (file.headed) break;
      provideHead();
    }
    file.start ||= files.startOf(file.descriptor);
  };
  const end2 = () => {
    const number = numberOf2(file.name) + 1;
    const next = numberOf2(unnamed) === number && files.has(unnamed) ? unnamed : `${number}-${randomId3()}`;
    if (next !== unnamed) files.create(next);
    unnamed = next;
    append({ close: next });
    unnamed = "";
    return next;
  };
  const rotate = () => {
    const before = numberOf2(file.name);
    const next = end2();
    read();
    files.removeOld(file.name, numberOf2(file.name) === before ? next : void 0);
  };
  return {
    /** Goes to the end of the chain, and restores the state. Throws an error with [isFormer] if the last file has an earlier format. */
    open() {
      goTo(fileOf(FIRST, files.openFirst()));
      astray = true;
      unnamed = "";
      read();
    },
    /**
     * Call it after open() has found an earlier format and no context that writes that format lives. It closes the last file; or, if that
     * is closed, it begins the next file with an empty state. Another context may have done so first, so call open() again.
     */
    succeed() {
      if (file.former) end2();
      else appendHead(begin());
    },
    path: () => files.path(file.name),
    /** This file exists as long as the journal. */
    firstPath: () => files.path(FIRST),
    position: () => file.position,
    /** How far this context has read. */
    place: () => `${files.path(file.name)} ${file.position}`,
    number: () => numberOf2(file.name),
    append,
    read,
    /** Handles the line that was appended last without reading it. Call it only if nobody else can have written since the last read(). */
    takeLast() {
      const last = writer.takeLast();
      if (last) takeLine(last.record, last.length);
      else read();
    },
    /** Whether this context has read to the end of the file. Call it after read(). */
    isAtEnd: () => (0, import_node_fs8.fstatSync)(file.descriptor).size === file.position,
    /** Call it after writing: begins a new file, or writes a mark, if this file has become long. */
    tidy() {
      if (file.position <= Math.min(file.limit, file.markAt)) return;
      read();
      if (file.position > file.limit) rotate();
      else if (file.position > file.markAt) {
        append({ mark: file.position, state: import_node_buffer6.Buffer.from(snapshot()).toString("base64") });
        read();
      }
    },
    /** Whether the journal was removed: its first file, the current file, or the content of the current file. */
    isRemoved() {
      if (files.isFirstRemoved()) return true;
      const { name, descriptor, position, start } = file;
      const { nlink, size } = (0, import_node_fs8.fstatSync)(descriptor);
      if (size < position || !files.startOf(descriptor).startsWith(start) || !writer.isWhereTaken(descriptor, position)) return true;
      if (name !== FIRST && files.isBegunAnew()) return true;
      if (nlink > 0) return false;
      read();
      return file.name === name;
    },
    /** Shows that the files are in use. */
    touch: () => files.touch([FIRST, file.name]),
    close: leaveFile
  };
};

// glue/platform/node/lines.js
var KEEP = 64;
var PATIENCE = 100;
var MOST_WAITING = 64 * 1024;
var ignore = () => {
};
var slow = /* @__PURE__ */ new WeakSet();
var write = (socket, message) => {
  if (socket.destroyed) return;
  if (socket.writableLength > MOST_WAITING) socket.destroy();
  else socket.write(message ? `${JSON.stringify(message)}
` : "\n");
  if (!socket.writableLength || slow.has(socket)) return;
  slow.add(socket);
  setTimeout(() => {
    slow.delete(socket);
    if (socket.writableLength) socket.destroy();
  }, PATIENCE).unref();
};
var parse = (line) => {
  if (!line) return void 0;
  try {
    const message = JSON.parse(line);
    return Object(message) === message ? message : void 0;
  } catch {
    return void 0;
  }
};
var readLines = (socket, take) => {
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", (text2) => {
    const lines = (rest + text2).split("\n");
    rest = lines.pop() || "";
    lines.forEach(take);
  });
};
var createLines = ({ holdAlive: holdAlive2, watchAlive: watchAlive2 }, pathOf4) => {
  let name = "";
  let onMessage = (
    /** @type {(message: Message | undefined, answer: Answer) => void} */
    ignore
  );
  let onCut = (
    /** @type {(client: string) => void} */
    ignore
  );
  const incoming = /* @__PURE__ */ new Map();
  const outgoing = /* @__PURE__ */ new Map();
  const take = (socket, line) => onMessage(parse(line), (message) => write(socket, message));
  const end2 = (client, line) => {
    if (outgoing.get(client) === line) outgoing.delete(client);
    line.stop();
  };
  const cut = (client, line) => {
    end2(client, line);
    onCut(client);
  };
  const tidy = () => {
    if (outgoing.size <= KEEP) return;
    for (const [client, line] of outgoing) {
      if (line.isWatched) continue;
      cut(client, line);
      return;
    }
  };
  const open3 = (client) => {
    const line = { onDeath: ignore, onFailure: ignore, isWatched: false, stop: ignore };
    outgoing.set(client, line);
    const onDeath = () => {
      end2(client, line);
      line.onDeath();
    };
    const onFailure = (error) => {
      cut(client, line);
      line.onFailure(error);
    };
    line.stop = watchAlive2(pathOf4(client), onDeath, onFailure, (socket) => {
      line.socket = socket;
      socket.write(`${name}
`);
      readLines(socket, (text2) => take(socket, text2));
      socket.on("close", () => outgoing.get(client) === line && onCut(client));
    });
    tidy();
    return line;
  };
  return {
    /** Shows that [client], this context, lives. Others may then connect. @param {string} client */
    hold: (client) => holdAlive2(pathOf4(client), (socket) => {
      let from = "";
      readLines(socket, (text2) => {
        if (from) take(socket, text2);
        else incoming.set(from = text2, socket);
      });
      socket.on("close", () => {
        if (incoming.get(from) === socket) incoming.delete(from);
        if (from) onCut(from);
      });
    }),
    /**
     * @param {string} client
     * @param {() => void} onDeath
     * @param {(error: Error) => void} onFailure
     * @returns {() => void} stops the watch
     */
    watch(client, onDeath, onFailure) {
      const line = outgoing.get(client) || open3(client);
      Object.assign(line, { onDeath, onFailure, isWatched: true });
      return () => void Object.assign(line, { onDeath: ignore, onFailure: ignore, isWatched: false });
    },
    /**
     * Receives the messages of others from now on.
     * @param {string} client this context
     * @param {(message: Message | undefined, answer: Answer) => void} hear
     * @param {(client: string) => void} cut the connection with [client] has ended, so its last message may be lost
     */
    listen(client, hear, cut2) {
      name = client;
      onMessage = hear;
      onCut = cut2;
    },
    /** @param {string} client @param {Message} [message] */
    say(client, message) {
      const socket = incoming.get(client) || (outgoing.get(client) || open3(client)).socket;
      if (socket) write(socket, message);
    },
    /** [client] has ended. @param {string} client */
    forget(client) {
      const line = outgoing.get(client);
      if (line) end2(client, line);
      incoming.get(client)?.destroy();
    },
    /** Earlier messages are still sent. */
    close() {
      onMessage = onCut = ignore;
      outgoing.forEach((line) => line.stop(true));
      outgoing.clear();
    }
  };
};

// glue/platform/node/log.js
var import_node_async_hooks = require("node:async_hooks");

// glue/log/outcomes.js
var hasNews = ({ news }) => news !== "";
var enter = (request) => {
  request.status = "held";
  request.listener("granted", request.fence);
};
var end = (request, outcome) => {
  request.status = "ended";
  request.listener(outcome, 0);
};
var createOutcomes = () => {
  let changed = [];
  return {
    /**
     * @param {LogRequest} request
     * @param {import('./types.js').Outcome} news
     * @param {boolean} stolenByOwn this context has stolen the lock from itself. Even if one message grants and steals, the first callback
     *   runs, as in the standard
     */
    add(request, news, stolenByOwn) {
      request.entersFirst = stolenByOwn && request.news === "granted";
      if (!hasNews(request)) changed.push(request);
      request.news = news;
    },
    /** Whether there is something to tell. */
    any: () => changed.some(hasNews),
    /** Requests that were granted and have ended before their listeners were told no longer run their callbacks. */
    forgetGrants() {
      changed.forEach((request) => {
        request.entersFirst = false;
      });
    },
    /**
     * Tells each listener the current outcome, without what happened in between. If a lock was lost, grants wait for another call, so that
     * the loss is told before the next holder enters.
     * @param {() => void} again asks for that call
     * @param {() => boolean} [mayEnter] if it returns false, grants wait for a later call. It is called for each grant: in Firefox,
     *   messages arrive while a listener has an alert() open
     */
    tell(again, mayEnter = () => true) {
      const isTold = ({ news, entersFirst }) => news && (!(news === "granted" || entersFirst) || mayEnter());
      const list = changed.filter(isTold);
      const hasLost = list.some(({ news }) => news !== "granted");
      for (const request of list) {
        const { news, entersFirst } = request;
        if (!news || !isTold(request) || hasLost && news === "granted") continue;
        request.news = "";
        if (news === "granted" || entersFirst) enter(request);
        if (news !== "granted" && !(entersFirst && request.status === "ended")) end(request, news);
      }
      changed = changed.filter(hasNews);
      if (changed.some(isTold)) again();
    }
  };
};

// glue/log/own-requests.js
var MANY = 64;
var createOwnRequests = (operationAdded, keep) => {
  let client = "";
  let last = 0;
  let open3 = /* @__PURE__ */ new Map();
  let lastDelivered = 0;
  let operations = [];
  let dropped = (
    /** @type {any} */
    {}
  );
  const outcomes = createOutcomes();
  const isEntered = ({ status, news }) => status === "held" || news === "granted";
  const resolverOf = (operation) => (
    /** @type {(() => void) | undefined} */
    ownMember(operation, "resolve")
  );
  const isAwaited = (operation) => !!resolverOf(operation);
  const isDelivered = (number) => number <= lastDelivered;
  const underway = () => last - lastDelivered;
  const urgent = (request) => underway() < MANY ? request : void 0;
  const isAny = (wanted) => {
    for (const { status, number } of open3.values()) if (status === wanted && isDelivered(number)) return true;
    return false;
  };
  const add = (operation) => {
    operation.client = client;
    operation.number = last + 1;
    operations.push(operation);
    return ++last;
  };
  const ask = (request) => {
    request.fence = 0;
    request.number = add(Object.assign({ type: "request" }, request.description));
    open3.set(request.number, request);
  };
  const tell2 = (request, news, stolenByOwn = false) => {
    outcomes.add(request, news, stolenByOwn);
    if (news !== "granted") open3.delete(request.number);
  };
  const send = (operation, urgent2) => {
    add(operation);
    operationAdded(urgent2);
  };
  const sendDrop = ({ number }, urgent2) => send({ type: "drop", request: number }, urgent2);
  const isDroppedLast = (description) => {
    const last2 = operations[operations.length - 1];
    return underway() === 1 && last2.type === "drop" && last2.request === dropped.number && description.steal === false && JSON.stringify(description) === JSON.stringify(dropped.description);
  };
  const own = {
    /**
     * Becomes [id], a client that has done nothing yet. Its first operation is its join. Requests that still wait are sent again.
     * @param {string} id
     */
    begin(id) {
      const again = [...open3.values(), ...own.outstanding().filter(isAwaited)].sort((one, other) => one.number - other.number);
      client = id;
      operations = [];
      dropped = /** @type {any} */
      {};
      last = lastDelivered = 0;
      open3 = /* @__PURE__ */ new Map();
      add({ type: "join" });
      for (const each of again) {
        if ("description" in each) ask(each);
        else add(each);
      }
    },
    /** Which client this context is. */
    id: () => client,
    /** Whether this context holds or waits for more than that many requests, or waits for a mark. @param {number} count */
    busyBesides: (count) => open3.size > count || own.outstanding().some(isAwaited),
    /** The operations that are not delivered yet, in order. */
    outstanding: () => operations.slice(operations.length - underway()),
    underway,
    lastDelivered: () => lastDelivered,
    /** The number of the last operation. */
    last: () => last,
    /** Whether a request of this context was delivered and waits for its lock. */
    waits: () => isAny("open"),
    /** Whether there is something to tell a listener. */
    hasNews: outcomes.any,
    /** Whether this context holds a lock that a listener was told of. */
    holds: () => isAny("held"),
    /** Whether that request is delivered, has not ended and was not dropped. @param {number} number */
    isOpen: (number) => open3.has(number) && isDelivered(number),
    /** Whether this context holds or waits for anything. */
    busy: () => own.busyBesides(0),
    /** @param {import('./types.js').RequestDescription} description @param {import('./types.js').RequestListener} listener */
    request(description, listener) {
      const request = { number: 0, description, listener, status: "open", news: "", entersFirst: false, fence: 0, askedAgain: false };
      const isKept = isDroppedLast(description) && keep(dropped);
      if (isKept) {
        operations.pop();
        last--;
        open3.set(request.number = dropped.number, request);
        request.fence = dropped.fence;
        tell2(request, "granted");
      } else ask(request);
      operationAdded(isKept ? void 0 : urgent(request));
      return request;
    },
    /** @param {LogRequest} request */
    drop(request) {
      request.news = "";
      request.status = "ended";
      if (open3.get(request.number) !== request) return;
      open3.delete(request.number);
      dropped = request;
      sendDrop(request, urgent(request));
    },
    /**
     * Resolves when every earlier operation of this context has been delivered. The default operation changes nothing: it drops a request
     * that never existed.
     * @template [T=void]
     * @param {{type: 'force-release', names: string[]} | {type: 'drop', request: number}} [operation]
     * @param {() => T} [look] called at that moment, before anything that is asked for later is applied
     * @returns {Promise<T>} what [look] has returned
     */
    mark: (operation = { type: "drop", request: 0 }, look2 = () => (
      /** @type {any} */
      void 0
    )) => new Promise((resolve3) => send(Object.assign({ resolve: () => resolve3(look2()) }, operation))),
    /** This client's operations up to and including [number] have been delivered. @param {number} number */
    operationDelivered(number) {
      const first = last - operations.length + 1;
      while (lastDelivered < Math.min(number, last)) {
        lastDelivered++;
        const resolve3 = resolverOf(operations[lastDelivered - first]);
        if (resolve3) resolve3();
      }
      if (underway() <= operations.length / 2) operations = own.outstanding();
    },
    /**
     * Sends a refused if-available request once more. A holder may release a lock and then tell this context so. The holder posts the
     * release first, but this context's request may still precede it in the order.
     * @param {import('../core/types.js').LockEvent} event of any client
     * @returns {boolean} whether the request was sent again
     */
    asksAgain({ type, client: whose, number }) {
      const request = type === "unavailable" && whose === client && open3.get(number);
      if (!request || request.askedAgain) return false;
      request.askedAgain = true;
      open3.delete(number);
      ask(request);
      operationAdded();
      return true;
    },
    /** @param {import('../core/types.js').LockEvent} event of any client @param {import('./types.js').Operation} operation its cause */
    eventHappened(event, operation) {
      const { type, number, fence } = event;
      const isRequest = operation.type === "request";
      if (type === "granted" && isRequest && operation.steal) {
        open3.forEach((each) => {
          if (!isEntered(each) || each.fence || !operation.names.includes(each.description.names[0])) return;
          tell2(each, "broken");
          sendDrop(each);
        });
      }
      const request = event.client === client && open3.get(number);
      if (!request || type === "removed" || type === "joined") return;
      request.fence = fence || request.fence;
      if (type !== "granted" || request.status === "open") tell2(request, type, isRequest && operation.client === client);
    },
    /**
     * R21: enters the locks that the outstanding operations will grant to delivered requests. Locks of the drafts are left out, since they
     * show their fence and may expire.
     * @param {import('../core/types.js').LockEvent[]} foreseen what the outstanding operations will cause, for any client
     */
    enterEarly(foreseen) {
      for (const { client: whose, number } of foreseen) {
        const request = open3.get(number);
        const isNext = whose === client && isDelivered(number) && request && request.status === "open" && request.description.steal === false;
        if (isNext) tell2(request, "granted");
      }
    },
    /**
     * Rule R7: the state was replaced by a snapshot. Compares the open requests with the new state. Call operationDelivered() first.
     * @param {import('./types.js').State} state
     * @param {import('../core/types.js').LockEvent[]} foreseen what the outstanding operations will cause (rule R21)
     */
    compare({ held, pending }, foreseen) {
      open3.forEach((request) => {
        const { number, status, description } = request;
        const isThis = (each) => each.number === number && each.client === client;
        const now3 = held.find(isThis);
        if (now3) {
          request.fence = now3.fence;
          if (status === "open") tell2(request, "granted");
        } else if (isEntered(request) && !foreseen.some(isThis)) {
          tell2(request, "broken");
          sendDrop(request);
        } else if (isDelivered(number) && !pending.some(isThis)) tell2(request, description.ifAvailable ? "unavailable" : "broken");
      });
      for (const each of [...held, ...pending]) if (each.client === client && !open3.has(each.number)) sendDrop(each);
    },
    /**
     * This life ends. A force-release that was sent is probably before its `gone` in the order. The next life must not repeat it: that
     * would break the next holder's lock.
     * @param {number} sent the number of the last operation that was sent
     */
    forgetForced(sent) {
      for (const operation of own.outstanding()) {
        if (operation.type !== "force-release" || operation.number > sent) continue;
        Object.assign(operation, { type: "drop", request: 0, names: void 0 });
      }
    },
    /** This context was declared dead, or leaves: ends its held requests, and with [all] also the pending ones. @param {boolean} all */
    lose(all) {
      outcomes.forgetGrants();
      open3.forEach((request) => {
        if (all || request.status === "held") tell2(request, "lost");
        else if (request.news === "granted") {
          request.news = "";
        }
      });
    },
    tellListeners: outcomes.tell
  };
  return own;
};

// glue/platform/node/attempts.js
var createAttempts = ({ own, membership, journal, solitude, ringing, settling, read, compare, doubt }) => {
  let failure;
  const deal = () => {
    if (!failure) return;
    solitude.doubt();
    membership.failed(failure.error);
    failure = void 0;
  };
  const recover = () => {
    read();
    if (own.outstanding().length) return;
    doubt();
    membership.works();
  };
  return {
    deal,
    /** @param {() => void} action reads or writes @returns {boolean} whether it has worked */
    attempt(action) {
      deal();
      if (!membership.isMember()) {
        if (!membership.isIdle()) membership.keep(own.busy());
        return false;
      }
      let works = true;
      settling.soon();
      try {
        if (membership.lookSometimes()) solitude.doubt();
        if (membership.isMember()) action();
        if (!membership.isMember()) return true;
        journal.tidy();
        compare();
        if (membership.pause()) recover();
        solitude.consider();
      } catch (error) {
        works = false;
        failure = { error };
        deal();
      }
      ringing.ring();
      return works;
    }
  };
};

// glue/platform/node/burials.js
var VISITS = 3;
var createBurials = ({ life, copy, membership, ringing, attempt, read, write: write2, tell: tell2 }) => {
  const { core, members } = copy;
  const writeGone = (clients) => {
    if (clients.length) write2(clients.map((client) => ({ type: "gone", client })));
  };
  const burials = {
    /** @param {string[]} dead */
    bury(dead) {
      attempt(() => {
        read();
        const listed = () => membership.isMember() ? dead.filter((each) => members().has(each)) : [];
        const gone = listed();
        if (!gone.length) return;
        writeGone(gone);
        writeGone(listed());
        ringing.queueChanged();
        gone.forEach(life.bury);
      });
      tell2();
    },
    /**
     * Checks whether [clients] live, and buries the dead.
     * @param {Iterable<string>} clients
     * @returns {Promise<boolean>} whether any was dead
     */
    async visit(clients) {
      const others = [...clients].filter((each) => each !== membership.client());
      const alive = await Promise.all(others.map(life.isAlive));
      const dead = others.filter((_, index) => !alive[index]);
      if (dead.length) burials.bury(dead);
      return dead.length > 0;
    },
    /** Checks some members, so that the dead do not accumulate. @param {number} from any number; it selects the first member to check */
    visitSome(from) {
      const all = [...members()];
      const first = from % (all.length || 1);
      void burials.visit([...all, ...all].slice(first, first + Math.min(VISITS, all.length)));
    },
    /** Buries the dead among the clients with requests for these names. @param {string[]} names @returns {false | Promise<boolean>} */
    buryBefore(names) {
      let others = /* @__PURE__ */ new Set();
      attempt(() => {
        others = burials.withRequests(names);
      });
      tell2();
      return others.size > 0 && burials.visit(others);
    },
    /** The other clients with held or pending requests. @param {string[]} [names] only requests for these names @returns {Set<string>} */
    withRequests(names) {
      if (members().size < 2) return /* @__PURE__ */ new Set();
      const { held, pending } = core.state();
      const requests = [...held, ...pending].filter((request) => !names || request.names.some((name) => names.includes(name)));
      const clients = new Set(requests.map((request) => request.client));
      clients.delete(membership.client());
      return clients;
    }
  };
  return burials;
};

// glue/log/apply.js
var applyOperation = (core, operation) => {
  try {
    return core.apply(operation);
  } catch (error) {
    const { status = OUT_OF_MEMORY } = (
      /** @type {{status?: number}} */
      error
    );
    if (status === OUT_OF_MEMORY) throw error;
    if (status < REFUSED || operation.type !== "request") return [];
    return [{ type: "broken", client: operation.client, number: operation.number, fence: 0 }];
  }
};

// glue/log/clock.js
var PER_MILLISECOND = 1e3;
var LONGEST_TIMER = 2 ** 31 - 1;

// glue/platform/node/copy.js
var createCopy = (createCore2, hooks) => {
  const core = createCore2();
  let members = /* @__PURE__ */ new Set();
  return {
    core,
    members: () => members,
    /** @param {number} time by the wall clock @returns {Uint8Array} an empty state */
    begin(time2) {
      core.reset(time2 * PER_MILLISECOND);
      return core.snapshot();
    },
    /** @param {Uint8Array} bytes the state at the beginning of a file */
    restore(bytes) {
      core.restore(bytes);
      members = new Set(core.state().members.map((member) => member.client));
      hooks.replaced();
    },
    /** Applies the next record. @param {Record} record */
    take({ by, operations }) {
      for (const operation of operations) {
        const events = applyOperation(core, operation);
        if (operation.type === "join") members.add(operation.client);
        else if (operation.type === "gone") members.delete(operation.client);
        hooks.applied(operation, events, by);
      }
    }
  };
};

// glue/log/uses.js
var useByOthers = (core, client, names) => {
  try {
    return core.useByOthers(client, names);
  } catch {
    return "held";
  }
};

// glue/platform/node/flushing.js
var createFlushing = ({ surroundings: { defer }, own, core, membership, solitude, isBusy, attempt, read, write: write2, tell: tell2 }) => {
  let scheduled = false;
  const writeAll = () => {
    scheduled = false;
    for (let written = false; membership.isMember(); written = !written) {
      const operations = own.outstanding();
      if (!operations.length) return;
      if (written) membership.look();
      else write2(operations);
    }
  };
  const flush = () => {
    const wanted = scheduled;
    scheduled = false;
    if (wanted) attempt(writeAll);
    tell2();
  };
  const isHeldByOthers = ({ description: { names } }) => {
    if (!membership.isMember() || solitude.lasts()) return false;
    const isHeldBesides = (client) => useByOthers(core, client, names) === "held";
    if (!isHeldBesides("")) attempt(read);
    return isHeldBesides(membership.client());
  };
  return {
    /** Writes at once, before other code runs. */
    now: () => attempt(writeAll),
    /**
     * Writes in a promise job. If this context is busy, it waits some more jobs for a release to write along: a callback may request its
     * next turn and then end.
     * @param {import('../../log/types.js').LogRequest} [request] a request that was just made. If others hold its lock, it is written at
     *   once: this task may go on to ask the holder to release it, and the holder's next request must then come after this one
     */
    soon(request) {
      if (!scheduled) {
        if (isBusy()) defer(() => defer(() => defer(() => defer(flush))));
        else defer(flush);
        scheduled = true;
      }
      if (request && isHeldByOthers(request)) attempt(writeAll);
    }
  };
};

// glue/platform/node/keeping.js
var SETTLE = 10;
var kindOf = ({ mode, limit }) => mode === "exclusive" ? "" : `${limit || 0}`;
var stuckRequests = (requests, client) => {
  const before = /* @__PURE__ */ new Map();
  const stuck = /* @__PURE__ */ new Set();
  for (const request of requests) {
    if (request.client !== client || request.deadline < Infinity) continue;
    const kind = kindOf(request);
    let blocked = !!request.fence;
    for (const name of request.fence ? [] : request.names) {
      const kinds = before.get(name) || /* @__PURE__ */ new Map();
      const others = [...kinds].filter(([each]) => !kind || each !== kind).map(([, each]) => each);
      const same = kinds.get(kind);
      const blocking = others.length ? others : request.limit && same && same.count >= request.limit ? [same] : [];
      if (!blocking.length) continue;
      blocked = true;
      stuck.add(request.number);
      for (const { fresh } of blocking) fresh.splice(0).forEach((number) => stuck.add(number));
    }
    for (const name of blocked ? request.names : []) {
      const kinds = before.get(name) || /* @__PURE__ */ new Map();
      const same = kinds.get(kind) || { count: 0, fresh: [] };
      same.count++;
      same.fresh.push(request.number);
      before.set(name, kinds.set(kind, same));
    }
  }
  return stuck;
};
var createKeeping = ({ own, core, journal, membership, setTimer }) => {
  const detached = /* @__PURE__ */ new Set();
  let stuck = /* @__PURE__ */ new Set();
  let scheduled = false;
  const mayBeStuck = () => own.waits() && own.holds();
  const keep = () => {
    const handles = [...detached].filter(({ number }) => !stuck.has(number));
    membership.keep(own.busyBesides(handles.length + stuck.size));
  };
  const lookLater = () => {
    if (scheduled) return;
    scheduled = true;
    const at2 = journal.place();
    setTimer(() => {
      scheduled = false;
      if (!membership.isMember() || !mayBeStuck()) return;
      if (at2 === journal.place()) {
        stuck = stuckRequests(core.requests(), membership.client());
        if (stuck.size) keep();
      } else lookLater();
    }, SETTLE);
  };
  return {
    /** From now on, the lock of [request] does not keep the thread alive. @param {LogRequest} request */
    detach(request) {
      detached.add(request);
    },
    /** Something may have changed. */
    update() {
      if (detached.size || stuck.size) {
        detached.forEach((request) => request.status === "ended" && detached.delete(request));
        stuck = /* @__PURE__ */ new Set();
        keep();
      }
      if (mayBeStuck()) lookLater();
    },
    /** This context is no longer a member. */
    stop() {
      stuck = /* @__PURE__ */ new Set();
    }
  };
};

// glue/log/blockers.js
var blockersOf = ({ held, pending }, client) => {
  const nearest = /* @__PURE__ */ new Map();
  const blockers = /* @__PURE__ */ new Set();
  for (const request of [...held, ...pending]) {
    for (const name of request.names) {
      const ahead = nearest.get(name) || { exclusive: "", shared: /* @__PURE__ */ new Set(), seen: false };
      nearest.set(name, ahead);
      if (request.client === client && !request.fence && !ahead.seen) {
        ahead.seen = true;
        if (request.mode === "exclusive" && ahead.shared.size) ahead.shared.forEach((each) => blockers.add(each));
        else if (ahead.exclusive) blockers.add(ahead.exclusive);
      }
      if (request.mode === "shared") ahead.shared.add(request.client);
      else {
        ahead.exclusive = request.client;
        ahead.shared = /* @__PURE__ */ new Set();
      }
    }
  }
  blockers.delete(client);
  return blockers;
};

// glue/platform/node/guard.js
var createGuard = (watch3, died) => {
  const KEEP2 = 8;
  const watches2 = /* @__PURE__ */ new Map();
  const announced = /* @__PURE__ */ new Map();
  const add = (client) => {
    if (watches2.has(client)) return;
    watches2.set(client, watch3(client, () => {
      watches2.delete(client);
      announced.delete(client);
      died(client);
    }));
  };
  const remove = (client) => {
    watches2.get(client)?.();
    watches2.delete(client);
    announced.delete(client);
  };
  return {
    /**
     * Watches [blockers], and stops most other watches.
     * @param {Set<string>} blockers the clients that block this context's requests now: see ../../log/blockers.js
     * @param {(client: string) => number} last the number of a client's last operation in the state
     */
    turnTo(blockers, last) {
      for (const [client, number] of announced) if (last(client) >= number) announced.delete(client);
      for (const client of watches2.keys()) {
        if (watches2.size > KEEP2 && !blockers.has(client) && !announced.has(client)) remove(client);
      }
      blockers.forEach(add);
    },
    /**
     * Watches [client] until the state contains its operation [number], which it has announced.
     * @param {string} client
     * @param {number} number
     */
    expect(client, number) {
      announced.set(client, number);
      add(client);
    },
    /** Stops watching [client], which has ended. @param {string} client */
    remove,
    /** Stops all watches. */
    stop: () => [...watches2.keys()].forEach(remove)
  };
};

// glue/platform/node/waits.js
var holdersBefore = ({ held, pending }, client, after) => {
  const all = /* @__PURE__ */ new Set();
  const exclusive = /* @__PURE__ */ new Set();
  for (const request of pending) {
    if (request.client !== client || request.number <= after) continue;
    for (const name of request.names) (request.mode === "exclusive" ? all : exclusive).add(name);
  }
  const blocking = held.filter(({ mode, names }) => names.some((name) => all.has(name) || mode === "exclusive" && exclusive.has(name)));
  const holders = new Set(blocking.map((request) => request.client));
  holders.delete(client);
  return holders;
};
var requestsBefore = ({ held, pending }, client, blockers) => {
  const all = [...held, ...pending];
  const names = new Set(pending.flatMap((request) => request.client === client ? request.names : []));
  const last = all.length - 1 - [...all].reverse().findIndex((request) => request.client === client && !request.fence);
  const before = /* @__PURE__ */ new Map();
  for (const request of all.slice(0, last)) {
    if (!blockers.has(request.client) || !request.names.some((name) => names.has(name))) continue;
    const numbers = before.get(request.client);
    if (numbers) numbers.push(request.number);
    else before.set(request.client, [request.number]);
  }
  return before;
};

// glue/platform/node/lookout.js
var SETTLE2 = 1;
var SETTLE_PER_REQUEST = 0.01;
var LOOK_AGAIN = 8;
var shortestLease = ({ pending }, client) => pending.reduce((shortest, request) => request.client === client ? shortest : Math.min(shortest, request.hold), Infinity);
var holdersAhead = ({ held, pending }, client) => {
  const names = /* @__PURE__ */ new Set();
  let before;
  do {
    before = names.size;
    for (const request of pending) {
      if (request.client === client || request.names.some((name) => names.has(name))) request.names.forEach((name) => names.add(name));
    }
  } while (names.size > before);
  return held.filter((request) => request.client !== client && request.names.some((name) => names.has(name)));
};
var createLookout = ({ surroundings, journal, core, members, client, isNeeded, readAndTell, attemptAndTell, died, failed }) => {
  const { bell, life, now: now3, setTimer } = surroundings;
  const guard = createGuard((each, onDeath) => life.watch(each, onDeath, failed), died);
  let scheduled = false;
  let lookedAt = "";
  let lookedWhen = -Infinity;
  let lookedLast = 0;
  let cancelLease = () => {
  };
  const lookAfter = (milliseconds) => {
    if (scheduled) return;
    scheduled = true;
    setTimer(look2, milliseconds);
  };
  const look2 = () => {
    scheduled = false;
    if (!isNeeded()) return;
    const at2 = journal.place();
    if (at2 === lookedAt) return;
    const time2 = now3();
    if (time2 < lookedWhen + LOOK_AGAIN) {
      lookAfter(lookedWhen + LOOK_AGAIN - time2);
      return;
    }
    lookedAt = at2;
    lookedWhen = time2;
    if (members().size < 2) return;
    attemptAndTell(() => {
      const state = core.state();
      lookout.lookAt(state);
      holdersBefore(state, client(), lookedLast).forEach((holder) => bell.ring(holder));
      lookedLast = core.last(client());
      heedLeases(state);
    });
  };
  const heedLeases = (state) => {
    cancelLease();
    const lease = shortestLease(state, client());
    if (lease === Infinity) return;
    cancelLease = setTimer(() => {
      if (!isNeeded()) return;
      lookedAt = "";
      readAndTell();
    }, Math.min(Math.max(lease, LOOK_AGAIN), LONGEST_TIMER));
  };
  const lookout = {
    /** Watches the contexts that block this one. @param {import('../../core/types.js').State} state */
    lookAt(state) {
      const watched = blockersOf(state, client());
      if (shortestLease(state, client()) < Infinity) holdersAhead(state, client()).forEach((holder) => watched.add(holder.client));
      guard.turnTo(watched, core.last);
    },
    /** This context holds or waits, and has just acted. Between processes, ./notices.js decides when to check. */
    settle: () => lookAfter(SETTLE2 + core.requestCount() * SETTLE_PER_REQUEST),
    /** Checks again even if nothing was written since: burying a dead client may have failed. */
    doubt() {
      lookedAt = "";
    },
    /** Another context is about to write an entry that may concern this one, and may end before it rings. */
    expect: guard.expect,
    /** @param {string} gone */
    forget(gone) {
      bell.forget(gone);
      guard.remove(gone);
    },
    stop() {
      guard.stop();
      cancelLease();
      lookedAt = "";
      lookedLast = 0;
    }
  };
  return lookout;
};

// glue/platform/node/trouble.js
var FIRST_PAUSE = 100;
var LONGEST_PAUSE = 1e4;
var createTrouble = (warn, setTimer) => {
  let pause = 0;
  let cancel;
  return {
    /** @param {unknown} error @param {() => void} again */
    retry(error, again) {
      if (!pause) warn(`Lockkeeper: ${/** @type {Error} */
      error.message}; trying again until it works`);
      pause = Math.min(Math.max(FIRST_PAUSE, 2 * pause), LONGEST_PAUSE);
      if (cancel) cancel();
      cancel = setTimer(again, pause);
    },
    /** Milliseconds from the last failure to the next attempt; 0 if nothing has failed. */
    pause: () => pause,
    /** An attempt has worked. */
    over() {
      pause = 0;
      if (cancel) cancel();
      cancel = void 0;
    }
  };
};

// glue/platform/node/membership.js
var TOUCH = 12 * 3600 * 1e3;
var LOOK3 = 1e3;
var none = () => {
};
var createMembership = ({ surroundings, own, journal, joined, left, again, tell: tell2 }) => {
  const { arrivals, life, now: now3, setTimer, defer, warn, randomId: randomId3, keepAlive } = surroundings;
  let phase = "idle";
  let client = "";
  let starts = 0;
  let hold2;
  let reason;
  let cancelTouch = none;
  let lookedAt = 0;
  let endKeeping;
  const trouble = createTrouble(warn, setTimer);
  const start = async () => {
    const count = starts;
    const mine = client = randomId3();
    own.begin(mine);
    const isWanted = () => client === mine && starts === count && phase === "joining";
    let prepared = false;
    let held;
    try {
      surroundings.prepare();
      prepared = true;
      held = await life.hold(mine);
      if (isWanted()) arrivals?.announce();
      await openJournal(isWanted);
    } catch (error) {
      held?.close();
      if (!isWanted()) return;
      journal.close();
      arrivals?.close();
      const mayHelp = mayPass(error) || prepared && codeOf(error) === "ENOENT";
      if (mayHelp) {
        trouble.retry(error, () => isWanted() && start());
        membership.keep(own.busy());
      } else membership.fail(error);
      return;
    }
    if (!isWanted()) {
      held.close();
      return;
    }
    membership.keep(false);
    hold2 = held;
    reason = void 0;
    phase = "member";
    trouble.over();
    cancelTouch = setTimer(touch, TOUCH);
    lookedAt = now3();
    joined();
  };
  const startSoon = () => {
    const mine = starts + 1;
    defer(() => mine === starts && phase === "joining" && void start());
    starts = mine;
    phase = "joining";
  };
  const openJournal = async (isWanted) => {
    while (isWanted()) {
      try {
        journal.open();
        return;
      } catch (error) {
        if (!/** @type {{isFormer?: boolean}} */
        error.isFormer || await life.hasStrangers()) throw error;
        if (isWanted()) journal.succeed();
      }
    }
  };
  const touch = () => {
    cancelTouch = setTimer(touch, TOUCH);
    try {
      membership.look();
      if (phase !== "member") return;
      journal.touch();
      life.touch(client);
    } catch (error) {
      membership.failed(error);
    }
  };
  const stop = () => {
    phase = "idle";
    membership.keep(false);
    cancelTouch();
    trouble.over();
    left();
    journal.close();
    hold2?.close();
    hold2 = void 0;
    arrivals?.close();
  };
  const membership = {
    client: () => client,
    isMember: () => phase === "member",
    isIdle: () => phase === "idle",
    /** Why all requests are lost, after fail(). */
    reason: () => reason,
    start: startSoon,
    /** Sets whether this thread stays alive. @param {boolean} wanted */
    keep(wanted) {
      if (hold2) hold2[wanted && keepAlive ? "ref" : "unref"]();
      else if (wanted && keepAlive) endKeeping = endKeeping || setTimer(none, LONGEST_TIMER, true);
      else {
        endKeeping?.();
        endKeeping = void 0;
      }
    },
    /** The others have declared this client dead: its locks are lost, and it joins again as another client. */
    lost() {
      own.lose(false);
      stop();
      startSoon();
      tell2();
    },
    /** Joins anew if the journal was removed. */
    look() {
      if (journal.isRemoved()) membership.failed(removedJournal());
    },
    /**
     * Call it before each read or write: otherwise this context could be granted a lock that others hold in a new journal.
     * @returns {boolean} whether it has checked
     */
    lookSometimes() {
      const time2 = now3();
      if (time2 - lookedAt < LOOK3) return false;
      lookedAt = time2;
      membership.look();
      return true;
    },
    /** @param {unknown} error of something that this context did as a member */
    failed(error) {
      const { syscall, message } = (
        /** @type {NodeJS.ErrnoException} */
        error
      );
      if (mayPass(error) && syscall) trouble.retry(error, again);
      else if (mayPass(error) || codeOf(error) === "ENOENT") {
        warn(`Lockkeeper: ${message}; this context starts anew`);
        membership.lost();
      } else membership.fail(error);
    },
    /** The failure is over. */
    works: trouble.over,
    /** Milliseconds from the last failure to the retry; 0 if nothing has failed. */
    pause: trouble.pause,
    /** A retry does not help: rejects all requests with [error]. The next request tries again. @param {unknown} error */
    fail(error) {
      reason = /** @type {Error} */
      error;
      own.lose(true);
      stop();
      own.operationDelivered(Infinity);
      tell2();
    },
    /** Leaves: all held and pending requests end as lost. */
    leave() {
      own.lose(true);
      stop();
      tell2();
      if (own.busy()) startSoon();
    }
  };
  return membership;
};

// glue/platform/node/notices.js
var SETTLE3 = 20;
var SETTLE_PER_REQUEST2 = 4;
var SETTLE_LONGEST = 200;
var PATIENCE2 = 50;
var LOOK_FOR_DEATHS = 100;
var LOOK_AGAIN2 = 200;
var ALARM = 1e3;
var RESPITE = 5;
var RESPITE_LONGEST = 80;
var SELDOM2 = 5e3;
var areNumbers = (list) => Array.isArray(list) && list.every(Number.isInteger);
var isNotice = (message) => {
  const { from, last, behind, promises, number } = message;
  if (typeof from !== "string") return false;
  if (hasOwn(message, "behind")) return areNumbers(behind) && Number.isInteger(last);
  return hasOwn(message, "promises") ? areNumbers(promises) : Number.isInteger(number);
};
var createNotices = ({
  surroundings,
  kernel,
  journal,
  core,
  members,
  client,
  isNeeded,
  readAndTell,
  attemptAndTell,
  lookout,
  promises
}) => {
  const { bell, now: now3, setTimer } = surroundings;
  let asked = /* @__PURE__ */ new Map();
  const expected = /* @__PURE__ */ new Map();
  let attending = false;
  let endRespite;
  let respite = 0;
  let stirredAt = -Infinity;
  let bereaved = false;
  let alarmedUntil = -Infinity;
  let readAt = 0;
  let checkedAt = "";
  let checkedLast = 0;
  let due = Infinity;
  let lookedAt = Infinity;
  let cancel = () => {
  };
  const settling = () => Math.min(SETTLE3 + core.requestCount() * SETTLE_PER_REQUEST2, SETTLE_LONGEST);
  const checkAfter = (milliseconds) => {
    const time2 = now3() + milliseconds;
    if (time2 >= due) return;
    cancel();
    due = time2;
    cancel = setTimer(check4, milliseconds);
  };
  const attend = () => {
    attending = true;
    if (!endRespite) kernel.attend(journal.path());
  };
  const stopAttending = () => {
    attending = false;
    endRespite?.();
    endRespite = void 0;
    kernel.unattend();
  };
  const register = (state) => {
    const before = requestsBefore(state, client(), blockersOf(state, client()));
    const known = asked;
    asked = /* @__PURE__ */ new Map();
    let result = "promised";
    for (const [blocker, numbers] of before) {
      const answers = known.get(blocker) || /* @__PURE__ */ new Map();
      const missing = numbers.filter((number) => !answers.get(number));
      const fresh = missing.filter((number) => !answers.has(number));
      asked.set(blocker, new Map(numbers.map((number) => [number, !!answers.get(number)])));
      if (fresh.length) bell.ring(blocker, { from: client(), last: core.last(client()), behind: fresh });
      if (fresh.length && result === "promised") result = "asked";
      if (missing.length > fresh.length) result = "late";
    }
    const isLimited = [...state.held, ...state.pending].some((request) => request.client !== client() && (request.deadline < Infinity || request.hold < Infinity || request.limit > 0));
    return isLimited ? "late" : result;
  };
  const check4 = () => {
    due = Infinity;
    if (!isNeeded()) return;
    const time2 = now3();
    const quiet = time2 - readAt;
    if (!attending && !bereaved && quiet < settling()) {
      lookedAt = Math.min(lookedAt, time2);
      if (time2 - lookedAt > LOOK_FOR_DEATHS) {
        lookedAt = time2;
        attemptAndTell(() => lookout.lookAt(core.state()));
      }
      checkAfter(settling() - quiet);
      return;
    }
    lookedAt = Infinity;
    bereaved = false;
    kernel.heed(journal.firstPath());
    readAndTell();
    if (!isNeeded()) return;
    attemptAndTell(() => {
      const state = core.state();
      checkedAt = journal.place();
      checkedLast = core.last(client());
      for (const [each, number] of expected) if (core.last(each) >= number || !members().has(each)) expected.delete(each);
      lookout.lookAt(state);
      const result = register(state);
      if (result === "late" || expected.size || now3() < alarmedUntil) {
        attend();
        checkAfter(LOOK_AGAIN2);
      } else {
        stopAttending();
        checkAfter(result === "promised" ? SELDOM2 : PATIENCE2);
      }
    });
  };
  const notices = {
    /** This context has read the journal. */
    hasRead() {
      readAt = now3();
    },
    /** This context holds or waits, and has read or written. */
    settle() {
      if (attending) attend();
      if (journal.place() === checkedAt) return;
      const hasActed = core.last(client()) !== checkedLast;
      checkAfter(attending && !hasActed ? LOOK_AGAIN2 : settling());
    },
    /** Checks again even if nothing was written since: burying a dead client may have failed. */
    doubt() {
      checkedAt = "";
    },
    /**
     * A message of another process, or of anything else that writes to this one's socket. This context has already read what the sender
     * wrote before it.
     * @param {import('./bell.js').Message} notice
     * @param {Answer} answer
     */
    hear(notice, answer3) {
      if (!isNotice(notice)) return;
      const { from } = notice;
      if (hasOwn(notice, "behind")) promises.give(notice, answer3);
      else if (hasOwn(notice, "promises")) {
        const answers = asked.get(from);
        for (const each of notice.promises) if (answers?.has(each)) answers.set(each, true);
      } else if (core.last(from) >= notice.number) return;
      else if (!isNeeded()) asked.delete(from);
      else {
        expected.set(from, notice.number);
        lookout.expect(from, notice.number);
        attend();
      }
    },
    /** A steal or force-release is about to be written, or was written. */
    alarmed() {
      alarmedUntil = now3() + ALARM;
      if (isNeeded()) {
        attend();
        checkAfter(settling());
      }
      readAndTell();
    },
    /** An entry was written while the kernel rings for every entry. */
    stirred() {
      const time2 = now3();
      const isBusy = time2 - stirredAt - respite < 2 * RESPITE;
      respite = isBusy ? Math.min(Math.max(2 * respite, RESPITE), RESPITE_LONGEST) : 0;
      stirredAt = time2;
      readAndTell();
      if (!attending || !respite || endRespite) return;
      kernel.unattend();
      endRespite = setTimer(() => {
        endRespite = void 0;
        if (attending && isNeeded()) attend();
      }, respite);
    },
    /** @param {string} each a client whose connection has ended: it may have forgotten its promises, and its last message may be lost */
    cut(each) {
      if (!asked.delete(each) || !isNeeded()) return;
      attend();
      checkAfter(PATIENCE2);
    },
    /** @param {string} gone */
    forget(gone) {
      if (asked.delete(gone) && isNeeded()) {
        bereaved = true;
        checkAfter(SETTLE3);
      }
      promises.forget(gone);
    },
    /** This context no longer holds or waits. */
    rest() {
      cancel();
      due = lookedAt = Infinity;
      stopAttending();
      checkedAt = "";
      kernel.rest();
    },
    stop() {
      notices.rest();
      promises.forgetAll();
      expected.clear();
      asked.clear();
    }
  };
  return notices;
};

// glue/platform/node/promises.js
var createPromises = ({ core, client, isOpen: isOpen2 }) => {
  const registered = /* @__PURE__ */ new Map();
  const told = /* @__PURE__ */ new Set();
  return {
    /**
     * Promises for the open requests, and rings if any of the others has ended.
     * @param {import('./notices.js').Registration} registration
     * @param {Answer} answer
     */
    give({ from, last, behind }, answer3) {
      const kept = behind.filter(isOpen2);
      for (const each of registered.keys()) if (!isOpen2(each)) registered.delete(each);
      for (const each of kept) registered.set(each, (registered.get(each) || /* @__PURE__ */ new Map()).set(from, answer3));
      if (core.last(from) >= last && kept.length) answer3({ from: client(), promises: kept });
      if (kept.length < behind.length) answer3();
    },
    /**
     * Call it before [operations] are written: tells the clients that wait behind requests that these end.
     * @param {import('../../core/types.js').Operation[]} operations
     */
    announce(operations) {
      for (const operation of operations) {
        if (operation.type !== "drop") continue;
        registered.get(operation.request)?.forEach((answer3, each) => {
          answer3({ from: client(), number: operation.number });
          told.add(each);
        });
        registered.delete(operation.request);
      }
    },
    /** Tells all registered clients, since all requests of this context are about to end. */
    leave() {
      const everybody = new Map([...registered.values()].flatMap((waiters) => [...waiters]));
      everybody.forEach((answer3) => answer3({ from: client(), number: Number.MAX_SAFE_INTEGER }));
    },
    /** @param {string} each @returns {boolean} whether that client was told of the entry that was just written */
    wasTold: (each) => told.has(each),
    /** The entry is written, and all clients concerned have been told. */
    written: () => told.clear(),
    /** @param {string} gone */
    forget(gone) {
      registered.forEach((waiters) => waiters.delete(gone));
    },
    forgetAll: () => registered.clear()
  };
};

// glue/log/queries.js
var createMark = (own, takeTurn) => async (operation, look2) => {
  const seen = await own.mark(operation, look2);
  await /** @type {Promise<void>} */
  new Promise(takeTurn);
  return seen;
};
var createLook = (own, mark, state) => ({
  /** Looks as soon as everything that was asked for before has been delivered. @returns {Promise<Look>} */
  look: () => mark(void 0, () => ({ client: own.id(), last: own.lastDelivered(), state: state() })),
  /** Whether a later look would show nothing else of this context. @param {Look} look */
  isLatest: ({ client, last }) => own.id() === client && own.last() === last
});

// glue/log/turns.js
var JOBS = 200;
var createTurns = (inJob, afterTask) => {
  let jobs = 0;
  let waiting;
  const goOn = () => {
    const all = waiting || [];
    waiting = void 0;
    all.forEach(inJob);
  };
  return (callback) => {
    jobs = (jobs + 1) % JOBS;
    if (waiting) waiting.push(callback);
    else if (jobs) inJob(callback);
    else {
      waiting = [callback];
      afterTask(goOn);
    }
  };
};

// glue/platform/node/queries.js
var createQueries = ({ surroundings, own, copy: { core, members }, journal, membership, burials }) => {
  const markInTurn = createMark(own, createTurns(surroundings.defer, surroundings.afterTask));
  const mark = async (operation, look3) => {
    const seen = await markInTurn(operation, look3);
    if (membership.reason()) throw membership.reason();
    return seen;
  };
  const { look: look2, isLatest } = createLook(own, mark, () => {
    try {
      return core.state();
    } catch {
      return void 0;
    }
  });
  return {
    /** @param {string[]} names */
    forceRelease: (names) => mark({ type: "force-release", names }),
    async query() {
      const seen = await look2();
      const hasFoundDead = await burials.visit(burials.withRequests());
      if (!seen.state || hasFoundDead && isLatest(seen)) return core.state();
      const lives = ({ client }) => client === seen.client || members().has(client);
      return { ...seen.state, held: seen.state.held.filter(lives), pending: seen.state.pending.filter(lives) };
    },
    async inspect() {
      await mark();
      await burials.visit(members());
      const [log, count] = [String(journal.number()), journal.position()];
      return { client: membership.client(), leader: "", log, count, state: core.state() };
    }
  };
};

// glue/platform/node/ringing.js
var MANY2 = 100;
var breaksLocks = (operation) => operation.type === "force-release" || operation.type === "request" && !!operation.steal;
var createRinging = ({ bell, core, members, client, firstPath, promises }) => {
  const concerned = /* @__PURE__ */ new Set();
  let concernsAll = false;
  let rang = false;
  const ringAll = (message) => {
    const others = [...members()].filter((member) => member !== client());
    if (others.length) bell.ringAll(others, message, firstPath());
  };
  const waiting = () => {
    const clients = /* @__PURE__ */ new Set();
    let count = 0;
    for (const request of core.requests()) {
      if (++count > MANY2) return members();
      if (!request.fence) clients.add(request.client);
    }
    return clients;
  };
  return {
    /** An event that an entry of this context has caused. @param {import('../../core/types.js').LockEvent} event */
    caused(event) {
      if (event.client !== client()) concerned.add(event.client);
    },
    /**
     * Call it when this context has read that requests have ended before their grant, or that their clients have died. Threads that wait
     * behind such requests watch only these, so they must determine their blockers again, and nothing else tells them. Exception: if a wait
     * expires, those behind it have their own timer for that (./ticks.js). Between processes, ./notices.js does this.
     */
    queueChanged() {
      if (promises || members().size < 2) return;
      for (const each of waiting()) if (each !== client()) bell.ring(each);
    },
    /**
     * Call it before [operations] are written. A steal or force-release concerns contexts that do not know yet that they depend on this
     * one, and this one may end before it rings.
     * @param {ClientOperation[]} operations
     */
    announce(operations) {
      promises?.announce(operations);
      if (members().size < 2 || !operations.some(breaksLocks)) return;
      concernsAll = true;
      ringAll({ client: client(), number: operations[operations.length - 1].number });
    },
    /** Call it after writing. */
    ring() {
      if (concernsAll) ringAll();
      if (!concernsAll || promises) concerned.forEach((each) => promises?.wasTold(each) || bell.ring(each));
      if (concerned.size) {
        rang = true;
        concerned.clear();
      }
      concernsAll = false;
      promises?.written();
    },
    /** Whether it has rung for any context since the last call of this function. */
    hasRung() {
      const before = rang;
      rang = false;
      return before;
    }
  };
};

// glue/platform/node/second-look.js
var withSecondLook = (log, buryDead) => {
  const current = /* @__PURE__ */ new WeakMap();
  let departures = 0;
  const requestIfAvailable = (description, listener) => {
    const ask = () => log.request(description, (outcome, fence, reason) => {
      if (outcome === "granted") request.fence = fence;
      if (outcome === "unavailable") void lookAgain();
      else listener(outcome, fence, reason);
    });
    const lookAgain = async () => {
      const before = departures;
      const looking = buryDead(description.names);
      const again = looking && await looking;
      if (!current.delete(request)) return;
      if (before !== departures) listener("lost", 0);
      else if (!again) listener("unavailable", 0);
      else {
        const next = ask();
        current.set(request, next);
        request.number = next.number;
      }
    };
    const request = ask();
    current.set(request, request);
    return request;
  };
  return {
    ...log,
    request: (description, listener) => (description.ifAvailable ? requestIfAvailable : log.request)(description, listener),
    drop(request) {
      const asked = current.get(request);
      if (asked) current.delete(request);
      log.drop(asked || request);
    },
    detach: (request) => log.detach && log.detach(current.get(request) || request),
    leave() {
      departures++;
      log.leave();
    }
  };
};

// glue/platform/node/settling.js
var createSettling = ({
  surroundings: { bell, afterTask },
  own,
  membership,
  ringing,
  ticks,
  keeping,
  lookout,
  notices,
  look: look2,
  deal
}) => {
  let busy = false;
  let scheduled = false;
  const settle = () => {
    ticks.stop();
    if (own.busy() !== busy) {
      busy = !busy;
      membership.keep(busy);
      if (!busy) notices?.rest();
    }
    if (!busy) return;
    ticks.settle();
    (notices || lookout).settle();
  };
  const endTask = () => {
    scheduled = false;
    deal();
    if (!membership.isMember()) return;
    settle();
    keeping.update();
    if (ringing.hasRung() && busy) bell.stayAwake(look2);
  };
  return {
    isBusy: () => busy,
    /** Call it in each task that reads or writes. */
    soon() {
      if (!scheduled) afterTask(endTask);
      scheduled = true;
    },
    /** This context is no longer a member. */
    leave() {
      busy = false;
      ticks.stop();
    }
  };
};

// glue/platform/node/solitude.js
var createSolitude = ({ surroundings: { arrivals, life }, journal, members, client, read, bury: bury2 }) => {
  let alone = false;
  let due = false;
  const isJoined = () => members().size === 1 && members().has(client());
  return {
    /** Makes this context check anew. What it knew may be wrong: signs of life may have been removed. */
    doubt() {
      alone = false;
      due = true;
    },
    /** Checks whether this context is alone, if a check is due. */
    consider() {
      if (!due || !arrivals) return;
      due = false;
      arrivals.any();
      if (life.hasOthers(client())) return;
      read();
      alone = isJoined() && journal.isAtEnd();
      if (members().size > 1) bury2();
    },
    /** Whether no new line of others precedes the line just written. Call it after each line. */
    lasts() {
      if (alone && arrivals?.any()) alone = false;
      return alone;
    }
  };
};

// glue/platform/node/telling.js
var createTelling = (own, { defer, afterTask }) => {
  let news = false;
  let scheduled = false;
  let isNext = false;
  const takeTurn = createTurns((callback) => callback(), afterTask);
  const telling = {
    /** There may be news. */
    add() {
      news = true;
    },
    hasNews: () => news,
    /** There may be news. Tells it later, since the caller may be a listener itself. */
    addSoon() {
      news = true;
      telling.soon();
    },
    /** Tells it at once. The caller must not be a listener. */
    now() {
      if (!news) return;
      news = false;
      own.tellListeners(() => {
        news = true;
        telling.soon();
      });
    },
    /** Call it in a promise job. Tells it at once, or in a task. */
    inJob() {
      if (!news || isNext) return;
      isNext = true;
      takeTurn(() => {
        isNext = false;
        telling.now();
      });
    },
    soon() {
      if (!news || scheduled) return;
      defer(() => {
        scheduled = false;
        telling.inJob();
      });
      scheduled = true;
    }
  };
  return telling;
};

// glue/platform/node/ticks.js
var createTicks = ({ surroundings: { now: now3, setTimer }, core, pause, tick }) => {
  let behind = 0;
  let cancel = () => {
  };
  const logTime = () => {
    const time2 = Math.floor(now3());
    behind = Math.max(behind, core.time() - time2);
    return time2 + behind;
  };
  return {
    /**
     * Puts a tick before [operations] if log time is behind. They may grant a request with a lease, which begins then, and a context that
     * was busy may not know of that request.
     * @param {Operation[]} operations about to be written
     * @returns {Operation[]}
     */
    timed(operations) {
      const time2 = logTime();
      return time2 > core.time() ? [{ type: "tick", now: time2 }, ...operations] : operations;
    },
    /** Sets the timer for the next deadline. */
    settle() {
      const due = core.nextDeadline();
      if (due < Infinity) cancel = setTimer(tick, Math.min(Math.max(pause() || 1, due - logTime()), LONGEST_TIMER));
    },
    stop: () => cancel()
  };
};

// glue/platform/node/log.js
var createSharedLog = (surroundings, createCore2) => {
  const { life, bell, now: now3 } = surroundings;
  let restored = false;
  let dropping = false;
  let sent = 0;
  const own = createOwnRequests((request) => {
    attempts.deal();
    if (membership.isIdle()) membership.start();
    else if (!dropping) flushing.soon(request);
  }, () => false);
  const telling = createTelling(own, surroundings);
  const copy = createCopy(createCore2, {
    applied(operation, events, by) {
      const client = membership.client();
      if (operation.type === "gone") [lookout, notices].forEach((each) => each?.forget(operation.client));
      for (const event of events) {
        if (event.client === client && !restored && event.type !== "joined" && event.type !== "removed") {
          own.eventHappened(event, operation);
          telling.add();
        }
        if (by === client) ringing.caused(event);
      }
      const isOwn = operation.type !== "gone" && operation.type !== "tick" && operation.client === client && members().has(client);
      if (isOwn && !restored) own.operationDelivered(operation.number);
    },
    replaced() {
      restored = true;
      telling.add();
    }
  });
  const { core, members } = copy;
  const journal = surroundings.createJournal({
    randomId: surroundings.randomId,
    snapshot: () => core.snapshot(),
    begin: () => copy.begin(surroundings.wallClock()),
    restore: copy.restore,
    apply: copy.take
  });
  const membership = createMembership({
    surroundings,
    own,
    journal,
    again() {
      (notices || lookout).doubt();
      if (attempt(read)) flushing.soon();
      telling.now();
    },
    joined() {
      restored = false;
      solitude.doubt();
      bell.listen(membership.client(), {
        rung,
        alarmed: () => notices?.alarmed(),
        stirred: () => notices?.stirred(),
        cut: (client) => notices?.cut(client)
      });
      burials.visitSome(Math.floor(now3()));
      flushing.soon();
      life.sweep(members()).catch(() => {
      });
    },
    left() {
      own.forgetForced(sent);
      sent = 0;
      settling.leave();
      keeping.stop();
      lookout.stop();
      notices?.stop();
      ringing.ring();
      bell.close();
    },
    tell: telling.addSoon
  });
  const promises = bell.kernel && createPromises({ core, client: membership.client, isOpen: own.isOpen });
  const ringing = createRinging({ bell, core, members, client: membership.client, firstPath: journal.firstPath, promises });
  const parts = {
    surroundings,
    journal,
    core,
    members,
    client: membership.client,
    isNeeded: () => settling.isBusy() && membership.isMember(),
    readAndTell: () => void lookForNews(),
    attemptAndTell(action) {
      attempt(action);
      telling.soon();
    }
  };
  const solitude = createSolitude({
    surroundings,
    journal,
    members,
    client: membership.client,
    read: () => read(),
    bury: () => burials.visitSome(0)
  });
  const lookout = createLookout({
    ...parts,
    died: (dead) => burials.bury([dead]),
    failed: (error) => membership.isMember() && membership.fail(error)
  });
  const notices = bell.kernel && promises && createNotices({ ...parts, kernel: bell.kernel, lookout, promises });
  const burials = createBurials({
    life,
    copy,
    membership,
    ringing,
    attempt: (action) => attempt(action),
    read: () => read(),
    write: (operations) => write2(operations),
    tell: telling.soon
  });
  const ticks = createTicks({
    surroundings,
    core,
    pause: membership.pause,
    tick: () => (attempt(() => write2([])), telling.soon())
  });
  const flushing = createFlushing({
    surroundings,
    own,
    core,
    membership,
    solitude,
    isBusy: () => settling.isBusy(),
    attempt: (action) => attempt(action),
    read: () => read(),
    write(operations) {
      ringing.announce(operations);
      sent = operations[operations.length - 1].number;
      write2(operations);
    },
    tell: telling.inJob
  });
  const keeping = createKeeping({ own, core, journal, membership, setTimer: surroundings.setTimer });
  const settling = createSettling({
    surroundings,
    own,
    membership,
    ringing,
    ticks,
    keeping,
    lookout,
    notices,
    look: () => lookForNews(),
    deal: () => attempts.deal()
  });
  const compare = () => {
    const [first] = own.outstanding();
    const last = core.last(membership.client());
    if (last >= 0 && restored) {
      own.operationDelivered(last);
      own.compare(core.state(), []);
    }
    restored = false;
    if (last < 0 && !(first && first.type === "join")) membership.lost();
  };
  const read = () => {
    journal.read();
    notices?.hasRead();
    if (restored || !members().has(membership.client())) compare();
  };
  const write2 = (operations) => {
    journal.append({ by: membership.client(), operations: ticks.timed(operations) });
    if (!membership.isMember()) return;
    if (solitude.lasts()) journal.takeLast();
    else read();
  };
  const sayGone = () => {
    journal.append({ by: membership.client(), operations: ticks.timed([{ type: "gone", client: membership.client() }]) });
    journal.read();
  };
  const attempts = createAttempts({
    own,
    membership,
    journal,
    solitude,
    ringing,
    settling,
    read,
    compare: () => restored && compare(),
    doubt: () => (notices || lookout).doubt()
  });
  const { attempt } = attempts;
  const rung = (message, answer3) => {
    attempt(read);
    if (membership.isMember() && message) {
      if (notices) notices.hear(message, answer3);
      else if (hasOwn(message, "client") && core.last(message.client) < message.number) lookout.expect(message.client, message.number);
    }
    telling.now();
  };
  const lookForNews = () => {
    attempt(read);
    const found = telling.hasNews();
    telling.now();
    return found;
  };
  const log = {
    clientId: membership.client,
    request(description, listener) {
      const context = new import_node_async_hooks.AsyncResource("LockRequest");
      let isMade = false;
      const hear = function(outcome, fence) {
        if (isMade) context.runInAsyncScope(listener, void 0, outcome, fence, outcome === "lost" ? membership.reason() : void 0);
        else if (outcome === "granted") log.drop(this);
      };
      const request = own.request(description, hear);
      isMade = true;
      return request;
    },
    drop(request) {
      dropping = membership.isMember();
      try {
        own.drop(request);
      } finally {
        dropping = false;
      }
      if (!membership.isMember()) return;
      flushing.now();
      if (!request.fence) ringing.queueChanged();
      telling.soon();
    },
    detach(request) {
      keeping.detach(request);
      settling.soon();
    },
    join() {
      if (membership.isIdle()) membership.start();
    },
    ...createQueries({ surroundings, own, copy, journal, membership, burials }),
    leave() {
      if (membership.isIdle()) return;
      if (membership.isMember()) {
        promises?.leave();
        try {
          sayGone();
          if (members().has(membership.client())) sayGone();
        } catch {
        }
      }
      membership.leave();
    }
  };
  return withSecondLook(log, burials.buryBefore);
};

// glue/platform/node/sockets.js
var import_node_fs10 = require("node:fs");
var import_node_net = require("node:net");
var import_node_buffer7 = require("node:buffer");
var import_node_path5 = require("node:path");

// glue/platform/node/locked-files.js
var locked_files_exports = {};
__export(locked_files_exports, {
  hold: () => hold,
  isHeld: () => isHeld,
  pathOf: () => pathOf2
});
var import_node_fs9 = require("node:fs");
var import_promises3 = require("node:fs/promises");
var O_SHLOCK = 16;
var O_EXLOCK = 32;
var { O_CREAT: O_CREAT3, O_EXCL: O_EXCL2, O_NONBLOCK, O_RDONLY: O_RDONLY2, O_RDWR: O_RDWR2 } = import_node_fs9.constants;
var pathOf2 = (path) => `${path}!`;
var hold = async (path) => {
  const handle = await (0, import_promises3.open)(pathOf2(path), O_CREAT3 | O_EXCL2 | O_RDWR2 | O_EXLOCK | O_NONBLOCK, 384);
  return {
    close() {
      try {
        (0, import_node_fs9.unlinkSync)(pathOf2(path));
      } catch {
      }
      handle.close().catch(() => {
      });
    }
  };
};
var isHeld = (path) => {
  try {
    (0, import_node_fs9.closeSync)((0, import_node_fs9.openSync)(pathOf2(path), O_RDONLY2 | O_SHLOCK | O_NONBLOCK));
    return false;
  } catch (error) {
    return codeOf(error) !== "ENOENT";
  }
};

// glue/platform/node/sockets.js
var LONGEST_PATH = 103;
var AT_ONCE = 5;
var LOOK_AGAIN3 = 50;
var LONGEST_ANSWER = 250;
var FORBIDDEN = ["EACCES", "EPERM"];
var ignore2 = () => {
};
var pathOf3 = (directory, client) => {
  const name = client.slice(0, 12);
  if (process.platform === "win32") return `\\\\.\\pipe\\lockkeeper\\${(0, import_node_path5.resolve)(directory).replace(/[\\:]/g, "-")}\\${name}`;
  const path = (0, import_node_path5.join)(directory, name);
  const excess = import_node_buffer7.Buffer.byteLength(path) - LONGEST_PATH;
  if (excess > 0) {
    const bytes = `${excess} byte${excess > 1 ? "s" : ""}`;
    throw new Error(`Lockkeeper: ${directory} is too long a path for the sockets in it. Use one that is shorter by ${bytes}.`);
  }
  return path;
};
var listen = (path, use) => new Promise((resolve3, reject) => {
  const accepted = /* @__PURE__ */ new Set();
  const server = (0, import_node_net.createServer)((socket) => {
    accepted.add(socket);
    socket.on("close", () => accepted.delete(socket));
    socket.unref();
    socket.on("error", ignore2);
    socket.resume();
    use(socket);
  });
  server.on("error", reject);
  const stop = () => {
    server.close();
    accepted.forEach((socket) => socket.destroySoon());
  };
  const listens = () => resolve3({ server, stop });
  server.listen({ path, exclusive: true }, listens);
  if (server.listening) listens();
  server.unref();
});
var createSockets = (second, open3 = import_node_net.connect) => {
  const reach = (path) => {
    const socket = open3(path);
    socket.unref();
    socket.resume();
    return socket;
  };
  const isDeath = (path, code) => code === "ENOENT" || code === "ECONNREFUSED" && !(second && second.isHeld(path));
  return {
    pathOf: pathOf3,
    /**
     * Shows that this context lives, until it ends or calls close().
     * @param {string} path
     * @param {UseSocket} [use] gets the connections of others
     * @returns {Promise<{ref(): void, unref(): void, close(): void}>} resolves once others can see it
     */
    async holdAlive(path, use = ignore2) {
      const held = second && await second.hold(path);
      let stop = ignore2;
      try {
        const listening = await listen(path, use);
        const { server } = listening;
        stop = listening.stop;
        if (process.platform !== "win32") (0, import_node_fs10.lstatSync)(path);
        return {
          ref: () => void server.ref(),
          unref: () => void server.unref(),
          close() {
            stop();
            held?.close();
          }
        };
      } catch (error) {
        stop();
        held?.close();
        throw error;
      }
    },
    /**
     * @param {string} path
     * @param {() => void} onDeath
     * @param {(error: Error) => void} [onFailure] deaths can no longer be seen in that directory
     * @param {UseSocket} [use] gets the connections, one after the other
     * @returns {(gently?: boolean) => void} stops the watch; if [gently], data that was written to the connection is still sent
     */
    watchAlive(path, onDeath, onFailure = ignore2, use = ignore2) {
      let wanted = true;
      let attempts = 0;
      let socket;
      const attempt = () => {
        if (!wanted) return;
        let failure;
        socket = reach(path);
        socket.on("error", (error) => {
          failure = error;
        });
        socket.on("close", () => {
          const code = failure ? codeOf(failure) : "";
          if (!wanted) return;
          if (isDeath(path, code)) onDeath();
          else if (failure && FORBIDDEN.includes(code)) onFailure(failure);
          else if (attempts++ < AT_ONCE) attempt();
          else setTimeout(attempt, LOOK_AGAIN3).unref();
        });
        use(socket);
      };
      attempt();
      return (gently) => {
        wanted = false;
        if (gently) socket.destroySoon();
        else socket.destroy();
      };
    },
    /** @param {string} path @returns {Promise<boolean>} */
    isAlive: (path) => new Promise((resolve3) => {
      const socket = reach(path);
      const answer3 = (alive) => {
        clearTimeout(timer2);
        socket.destroy();
        resolve3(alive);
      };
      const timer2 = setTimeout(() => setImmediate(answer3, true), LONGEST_ANSWER);
      socket.on("error", (error) => answer3(!isDeath(path, codeOf(error))));
      socket.on("connect", () => answer3(true));
    }),
    /** Removes the files of a dead context. @param {string} path */
    bury(path) {
      for (const each of second ? [path, second.pathOf(path)] : [path]) {
        try {
          (0, import_node_fs10.unlinkSync)(each);
        } catch {
        }
      }
    }
  };
};
var needsSecondSign = process.platform !== "linux" && process.platform !== "win32";
var sockets = createSockets(needsSecondSign ? locked_files_exports : void 0);

// glue/platform/node.js
var SAFE_SOCKETS = 22;
var STALE2 = 3600 * 1e3;
var PART = /[-+!]$/;
var now2 = () => {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
};
var randomId = () => (0, import_node_crypto2.randomBytes)(12).toString("hex");
var createLife = (directory, { pathOf: pathOf4, holdAlive: holdAlive2, watchAlive: watchAlive2, isAlive: isAlive2, bury: bury2 }, lines) => {
  const path = (client) => pathOf4(directory(), SIGN + client);
  const entries = () => (0, import_node_fs11.readdirSync)(directory()).filter((entry) => entry !== "log");
  const own = lines || {
    hold: (client) => holdAlive2(path(client)),
    watch: (client, onDeath, onFailure) => watchAlive2(path(client), onDeath, onFailure)
  };
  return {
    hold: own.hold,
    watch: own.watch,
    isAlive: (client) => isAlive2(path(client)),
    bury: (client) => bury2(path(client)),
    /** @param {string} client */
    touch(client) {
      const time2 = /* @__PURE__ */ new Date();
      for (const each of [processDirectory(), directory(), path(client)]) (0, import_node_fs11.utimes)(each, time2, time2, () => {
      });
    },
    /** @param {string} client */
    hasOthers(client) {
      if (process.platform === "win32") return true;
      const own2 = path(client);
      try {
        return entries().some((entry) => !(0, import_node_path6.join)(directory(), entry).startsWith(own2));
      } catch {
        return true;
      }
    },
    async hasStrangers() {
      if (process.platform === "win32") return true;
      const strangers = entries().filter((entry) => !entry.startsWith(SIGN) && !PART.test(entry));
      const alive = await Promise.all(strangers.map((entry) => isAlive2((0, import_node_path6.join)(directory(), entry))));
      return alive.includes(true);
    },
    /** Removes the files of contexts that have ended before they became members. @param {Set<string>} members */
    async sweep(members) {
      const known = new Set([...members].map(path));
      for (const entry of entries()) {
        const each = (0, import_node_path6.join)(directory(), entry);
        const sign = each.replace(PART, "");
        if (known.has(sign)) continue;
        const { ctimeMs } = (0, import_node_fs11.lstatSync)(each, { throwIfNoEntry: false }) || { ctimeMs: Infinity };
        if (Date.now() - ctimeMs > STALE2 && !await isAlive2(sign)) bury2(each);
      }
    }
  };
};
var createNodeLog = (name, { scope, keepAlive = true, directory: parent }, createCore2) => {
  const where = { scope, directory: parent === void 0 ? void 0 : (0, import_node_path6.resolve)(parent) };
  let opened = "";
  let ahead = 0;
  const directory = () => opened;
  const signs = scope === "host" || parseInt(process.versions.node) >= SAFE_SOCKETS ? sockets : descriptors_exports;
  const lines = scope === "host" ? createLines(sockets, (client) => sockets.pathOf(directory(), SIGN + client)) : void 0;
  return createSharedLog({
    prepare() {
      opened = openDirectory(name, where);
      signs.pathOf(opened, SIGN + randomId());
      if (lines) ahead = clockAhead() || 0;
    },
    createJournal: (parts) => createJournal({ directory, ...parts }),
    life: createLife(directory, signs, lines),
    bell: lines ? createProcessBell(process.platform, lines) : createThreadBell(directory),
    // It is unknown whether Bun and Deno deliver messages at once.
    arrivals: lines || process.versions.bun || process.versions.deno ? void 0 : createArrivals(directory),
    now: () => now2() - ahead,
    wallClock: readWallClock,
    randomId,
    setTimer(callback, milliseconds, keepsAlive = false) {
      const timer2 = setTimeout(callback, milliseconds);
      if (!keepsAlive) timer2.unref();
      return () => clearTimeout(timer2);
    },
    afterTask: (callback) => void setImmediate(callback),
    defer: (callback) => void Promise.resolve().then(callback),
    warn: (text2) => process.emitWarning(text2),
    keepAlive
  }, createCore2);
};

// glue/entries/node.js
var isNode = true;
var debugSetting = () => {
  const { LOCKKEEPER_DEBUG } = (
    /** @type {{LOCKKEEPER_DEBUG?: unknown}} */
    globalThis
  );
  try {
    return LOCKKEEPER_DEBUG || process.env.LOCKKEEPER_DEBUG;
  } catch {
    return void 0;
  }
};
var STDERR = 2;
var printLine = (line) => {
  try {
    (0, import_node_fs12.writeSync)(STDERR, `${line}
`);
  } catch {
  }
};
var randomId2 = () => (0, import_node_crypto3.randomBytes)(16).toString("hex");
var createLog = (name, options = {}, watch3) => {
  assertAllowed();
  return createNodeLog(name, options, watch3 ? watch3(createCore) : createCore);
};

// glue/api/inspect.js
var listsBy = (items, keyOf) => {
  const lists = /* @__PURE__ */ new Map();
  for (const item of items) {
    const list = lists.get(keyOf(item));
    if (list) list.push(item);
    else lists.set(keyOf(item), [item]);
  }
  return lists;
};
var waitsFor = (held, pending) => {
  const ahead = /* @__PURE__ */ new Map();
  const edges = /* @__PURE__ */ new Map();
  for (const { client, mode, names } of [...held, ...pending]) {
    const targets = edges.get(client) || /* @__PURE__ */ new Set();
    edges.set(client, targets);
    for (const name of names) {
      const clients = ahead.get(name) || { all: /* @__PURE__ */ new Set(), exclusive: /* @__PURE__ */ new Set() };
      ahead.set(name, clients);
      (mode === "shared" ? clients.exclusive : clients.all).forEach((each) => targets.add(each));
      clients.all.add(client);
      if (mode === "exclusive") clients.exclusive.add(client);
    }
  }
  return edges;
};
var walk = (edges, start, seen, list) => {
  const path = [];
  const enter2 = (client) => {
    if (seen.has(client)) return;
    seen.add(client);
    path.push([
      client,
      /** @type {Set<string>} */
      edges.get(client).values()
    ]);
  };
  enter2(start);
  while (path.length) {
    const [client, targets] = path[path.length - 1];
    const { done, value } = targets.next();
    if (done) {
      list.push(client);
      path.pop();
    } else enter2(value);
  }
};
var findDeadlocks = (edges) => {
  const clients = [...edges.keys()];
  const reversed = new Map(clients.map((client) => [client, /* @__PURE__ */ new Set()]));
  edges.forEach((targets, client) => targets.forEach((target) => (
    /** @type {Set<string>} */
    reversed.get(target).add(client)
  )));
  const left = [];
  const seen = /* @__PURE__ */ new Set();
  for (const client of clients) walk(edges, client, seen, left);
  const groupOf = /* @__PURE__ */ new Map();
  seen.clear();
  for (const client of left.reverse()) {
    const group = [];
    walk(reversed, client, seen, group);
    for (const member of group) groupOf.set(member, client);
  }
  return [...listsBy(clients, (client) => (
    /** @type {string} */
    groupOf.get(client)
  )).values()].filter((group) => group.length > 1);
};
var findWaitingForThemselves = (held, pending) => {
  const keyOf = ({ client, mode }, name) => JSON.stringify([client, mode, name]);
  const holds = /* @__PURE__ */ new Set();
  for (const request of held) for (const name of request.names) holds.add(keyOf(request, name));
  const isBlockedByOwn = (request) => request.names.some((name) => holds.has(keyOf({ ...request, mode: "exclusive" }, name)) || request.mode === "exclusive" && holds.has(keyOf({ ...request, mode: "shared" }, name)));
  return [...new Set(pending.filter(isBlockedByOwn).map(({ client }) => client))];
};
var reportOf = ({ client, leader, count, state }, sinceOf) => {
  const byClient = (requests) => listsBy(requests, (request) => request.client);
  const [held, pending] = [byClient(state.held), byClient(state.pending)];
  const asked = ({ client: owner, number, names, mode }) => ({ names, mode, since: sinceOf(owner, number) });
  return {
    client,
    leader,
    entries: count,
    members: state.members.map((member) => ({
      client: member.client,
      held: (held.get(member.client) || []).map((request) => ({ ...asked(request), fence: request.fence })),
      pending: (pending.get(member.client) || []).map(asked)
    })),
    deadlocks: findDeadlocks(waitsFor(state.held, state.pending)),
    waitsForItself: findWaitingForThemselves(state.held, state.pending)
  };
};

// glue/api/wording.js
var LONGEST3 = 60;
var withArticle = (name) => `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
var shorten = (text2) => text2.length > LONGEST3 ? `${text2.slice(0, LONGEST3)}\u2026` : text2;
var kindOf2 = (object) => {
  const name = Object.prototype.toString.call(object).slice("[object ".length, -1);
  return withArticle(name === "Object" || name === "Array" ? name.toLowerCase() : shorten(name));
};
var show = (value) => {
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return kindOf2(value);
  return shorten(typeof value === "string" ? JSON.stringify(value) : `${String(value)}${typeof value === "bigint" ? "n" : ""}`);
};
var tooFewArguments = (operation, needed, count) => IS_PACKAGE ? `${operation}() needs ${needed}. It was called with ${count === 1 ? "1 argument" : `${count} arguments`}.` : "Too few arguments";
var ifSwapped = (options) => typeof options === "function" ? " The options come before it." : "";
var notACallback = (value, options) => IS_PACKAGE ? `The callback must be a function, not ${show(value)}.${ifSwapped(options)}` : "No callback";
var notOptions = (value) => IS_PACKAGE ? `The options must be an object, not ${show(value)}.` : "No options";
var notAString = (what, value) => `The ${what} must be a string, not ${show(value)}.`;
var tooLong = (what, longest, length) => IS_PACKAGE ? `The ${what} has ${length} characters. It may have at most ${longest}.` : "Too long";
var notAMode = (value) => IS_PACKAGE ? `The lock mode must be 'exclusive' or 'shared', not ${show(value)}.` : "No lock mode";
var notASignal = (value) => IS_PACKAGE ? `The option signal must be an AbortSignal, not ${show(value)}.` : "No AbortSignal";
var reservedName = (name) => IS_PACKAGE ? `The name ${show(name)} is reserved: the name of a lock must not begin with a hyphen.` : "Reserved name";
var conflictIn = ({ ifAvailable, mode, signal, steal }) => {
  const isShared = mode === "shared";
  if (!(steal && (ifAvailable || isShared)) && !(signal && (steal || ifAvailable))) return "";
  if (!IS_PACKAGE) return "Conflicting options";
  const [one, other] = !steal ? ["signal", "ifAvailable"] : ["steal", ifAvailable ? "ifAvailable" : isShared ? "mode 'shared'" : "signal"];
  return `LockOptions.${one} cannot be combined with ${other}.`;
};
var illegalInvocation = (name) => IS_PACKAGE ? `Illegal invocation: this is not ${withArticle(name)}. Call a method as object.method(), or bind it to its object.` : "Illegal invocation";
var illegalConstructor = (name) => IS_PACKAGE ? `Illegal constructor: ${withArticle(name)} cannot be made by new.` : "Illegal constructor";
var INACTIVE_DOCUMENT = IS_PACKAGE ? "This document is not active: its frame was removed, or its window shows another document." : "Inactive document";
var OPAQUE_ORIGIN = IS_PACKAGE ? "This origin is opaque, so it has no storage and no locks. A sandboxed frame needs allow-same-origin." : "Opaque origin";
var ABORTED = IS_PACKAGE ? "The signal has aborted the request." : "Request aborted";
var lockOn = (names) => `lock on ${names.map(show).join(", ")}`;
var ending = (outcome, names, held) => {
  if (!IS_PACKAGE) return ["AbortError", "Lock lost"];
  if (outcome === "expired") {
    const what = lockOn(names);
    return ["TimeoutError", held ? `The lease of the ${what} is over.` : `The ${what} was not granted within the timeout.`];
  }
  if (outcome === "closed") return ["AbortError", `The request for the ${lockOn(names)} has ended: its lock manager was closed.`];
  if (outcome === "lost") {
    return ["AbortError", `The ${lockOn(names)} was lost: this context has left the lock manager, as a page does on its way into the back-forward cache, or the others took it for dead.`];
  }
  return ["AbortError", `The ${lockOn(names)} was lost: stolen, or broken by forceRelease().`];
};

// glue/api/stack.js
var LEVELS = 32;
var COLD_LEVELS = 400;
var COLD_CALLS = 100;
var calls = 0;
var descend = (levels, a, b, c, d, e, f, g, h, i, j, k, l) => levels && 1 + descend(levels - 1, a, b, c, d, e, f, g, h, i, j, k, l);
var needStack = (isRare) => {
  descend(isRare || calls < COLD_CALLS ? COLD_LEVELS : LEVELS);
  calls++;
};
var callWithStack = (callback) => {
  try {
    needStack(true);
  } catch {
    void Promise.resolve().then(callback);
    return;
  }
  callback();
};

// glue/api/environment.js
var createEnvironment = (global2) => ({
  global: global2,
  document: global2.document,
  DOMException: global2.DOMException,
  // A page opened from a file also has the origin null, but it has storage.
  opaque: global2.origin === "null" && /** @type {{protocol: string}} */
  global2.location.protocol !== "file:"
});
var createException = ({ DOMException }, name, message) => new DOMException(message, name);
var isFullyActive = ({ document }) => {
  if (!document) return true;
  try {
    return (
      /** @type {Window} */
      document.defaultView.document === document
    );
  } catch {
    return false;
  }
};
var checkEnvironment = (environment) => {
  needStack();
  if (!isFullyActive(environment)) throw createException(environment, "InvalidStateError", INACTIVE_DOCUMENT);
  if (environment.opaque) throw createException(environment, "SecurityError", OPAQUE_ORIGIN);
};

// glue/api/idl.js
var LONGEST4 = 2 ** 20;
var toDOMString = (value, what = "name") => {
  if (IS_PACKAGE && typeof value === "symbol") throw new TypeError(notAString(what, value));
  const text2 = `${value}`;
  if (text2.length > LONGEST4) throw new TypeError(tooLong(what, LONGEST4, text2.length));
  return text2;
};
var toMode = (value = "exclusive") => {
  const mode = toDOMString(value, "lock mode");
  if (mode !== "exclusive" && mode !== "shared") throw new TypeError(notAMode(mode));
  return mode;
};
var toSignal = (global2, value) => {
  if (value === void 0) return void 0;
  const { AbortSignal } = global2;
  const getter = AbortSignal && Object.getOwnPropertyDescriptor(AbortSignal.prototype, "aborted");
  try {
    const signal = (
      /** @type {AbortSignal} */
      value
    );
    if (typeof (getter ? (
      /** @type {Function} */
      getter.get.call(signal)
    ) : signal.aborted) === "boolean") return signal;
  } catch {
  }
  throw new TypeError(notASignal(value));
};
var toCallback = (value, options) => {
  if (typeof value !== "function") throw new TypeError(notACallback(value, options));
  return (
    /** @type {(argument: unknown) => unknown} */
    value
  );
};
var EMPTY = (
  /** @type {Record<string, unknown>} */
  Object.freeze(/* @__PURE__ */ Object.create(null))
);
var toDictionary = (value) => {
  if (value === void 0 || value === null) return EMPTY;
  if (Object(value) !== value) throw new TypeError(notOptions(value));
  return (
    /** @type {Record<string, unknown>} */
    value
  );
};
var toLockOptions = (global2, value) => {
  const dictionary = toDictionary(value);
  return {
    ifAvailable: !!dictionary.ifAvailable,
    mode: toMode(dictionary.mode),
    signal: toSignal(global2, dictionary.signal),
    steal: !!dictionary.steal
  };
};
var toRequestArguments = (global2, given) => {
  if (given.length < 2) throw new TypeError(tooFewArguments("request", "a name and a callback", given.length));
  const [name, options, callback] = given.length > 2 ? given : [given[0], void 0, given[1]];
  return { name: toDOMString(name), options: toLockOptions(global2, options), callback: toCallback(callback, options) };
};

// glue/api/platform-object.js
var answer;
var Handler = class {
  /** @param {Function} Interface @param {unknown} state */
  constructor(Interface, state) {
    this.Interface = Interface;
    this.state = state;
    this.proxy = new Proxy(Object.create(Interface.prototype), this);
  }
  /** @param {object} target */
  getPrototypeOf(target) {
    answer = this;
    return Object.getPrototypeOf(target);
  }
};
Object.setPrototypeOf(Handler.prototype, null);
var createPlatformObject = (Interface, state) => new Handler(Interface, state).proxy;
var stateOf = (Interface, object) => {
  const prototype2 = Object.getPrototypeOf(Object(object));
  const handler = (
    /** @type {Handler | undefined} */
    prototype2 && answer
  );
  if (!handler || handler.proxy !== object || handler.Interface !== Interface) throw new TypeError(illegalInvocation(Interface.name));
  return (
    /** @type {State} */
    handler.state
  );
};
var defineMembers = (target, members) => Object.defineProperties(target, Object.getOwnPropertyDescriptors(members));
var INSPECT = /* @__PURE__ */ Symbol.for("nodejs.util.inspect.custom");
var SHOWN = ["name", "scope", "mode", "fence"];
var showInConsole = function(depth, options, inspect2) {
  const tag = this[Symbol.toStringTag];
  try {
    return `${tag} ${inspect2(Object.fromEntries(SHOWN.filter((key) => key in this).map((key) => [key, this[key]])), options)}`;
  } catch {
    return `${tag} {}`;
  }
};
var defineInterface = (name, members) => {
  const Interface = class {
    constructor() {
      throw new TypeError(illegalConstructor(name));
    }
  };
  const tag = { value: name, configurable: true };
  Object.defineProperty(Interface, "name", tag);
  Object.defineProperty(defineMembers(Interface.prototype, members), Symbol.toStringTag, tag);
  if (IS_PACKAGE) Object.defineProperty(Interface.prototype, INSPECT, { value: showInConsole, configurable: true });
  return Interface;
};

// glue/api/lock.js
var Lock = /* @__PURE__ */ defineInterface("Lock", {
  /** @returns {string} */
  get name() {
    return stateOf(Lock, this).name;
  },
  /** @returns {'exclusive' | 'shared'} */
  get mode() {
    return stateOf(Lock, this).mode;
  }
});
var createLock = (fence, { names: [name], mode }) => createPlatformObject(Lock, { name, mode });

// glue/api/query.js
var lockInfos = (requests) => {
  const infos = [];
  for (const { client, mode, names } of requests) {
    for (const name of names) infos.push({ clientId: client, mode, name });
  }
  return infos;
};
var snapshotOf = ({ held, pending }) => ({ held: lockInfos(held), pending: lockInfos(pending) });

// glue/api/follow.js
var followed = /* @__PURE__ */ new WeakMap();
var follow = (signal, onAbort) => {
  if (!IS_PACKAGE) {
    const listener2 = () => {
      if (signal.aborted) onAbort();
    };
    signal.addEventListener("abort", listener2);
    return () => signal.removeEventListener("abort", listener2);
  }
  const both = followed.get(signal) || [/* @__PURE__ */ new Set(), () => {
    if (signal.aborted) both[0].forEach((each) => each());
  }];
  const [onAborts, listener] = both;
  if (!onAborts.size) {
    followed.set(signal, both);
    signal.addEventListener("abort", listener);
  }
  onAborts.add(onAbort);
  return () => {
    onAborts.delete(onAbort);
    if (!onAborts.size) signal.removeEventListener("abort", listener);
  };
};

// glue/api/request.js
var abortReason = (environment, signal) => {
  const { reason } = signal;
  return reason === void 0 ? createException(environment, "AbortError", ABORTED) : reason;
};
var run = (callback, handle) => new Promise((settle) => settle(callback(handle)));
var requestLock = (environment, log, description, signal, createHandle, callback) => {
  let resolve3 = (
    /** @type {(value: unknown) => void} */
    /** @type {unknown} */
    void 0
  );
  let reject = resolve3;
  let held = false;
  let ended = false;
  const promise = new Promise((onResolve, onReject) => {
    resolve3 = onResolve;
    reject = onReject;
  });
  const request = log.request(description, (outcome, fence, reason) => {
    if (outcome === "granted" && signal && signal.aborted) {
      abort();
      return;
    }
    stopFollowing();
    if (outcome === "granted") {
      held = true;
      const settled = (settle) => (value) => {
        if (!ended) log.drop(request);
        settle(value);
      };
      run(callback, createHandle(fence, description)).then(settled(resolve3), settled(reject));
    } else if (outcome === "unavailable") resolve3(run(callback, null));
    else {
      ended = true;
      reject(reason || createException(environment, ...ending(outcome, description.names, held)));
    }
  });
  const abort = () => {
    stopFollowing();
    log.drop(request);
    reject(abortReason(
      environment,
      /** @type {AbortSignal} */
      signal
    ));
  };
  const stopFollowing = signal ? follow(signal, () => callWithStack(abort)) : () => {
  };
  return promise;
};

// glue/api/lock-manager.js
var answer2 = (manager, operation) => {
  try {
    return operation(stateOf(LockManager, manager));
  } catch (error) {
    return Promise.reject(error);
  }
};
var checkRequest = (environment, name, options) => {
  const { signal } = options;
  const refused = name[0] === "-" ? reservedName(name) : conflictIn(options);
  if (refused) throw createException(environment, "NotSupportedError", refused);
  if (signal && signal.aborted) throw abortReason(environment, signal);
};
var LockManager = /* @__PURE__ */ defineInterface("LockManager", {
  /**
   * request(name, callback) or request(name, options, callback).
   * @param {unknown} name
   * @param {unknown} callback
   * @returns {Promise<unknown>}
   */
  // eslint-disable-next-line no-unused-vars -- the standard fixes request.length
  request(name, callback) {
    return answer2(this, ({ environment, openLog: openLog2 }) => {
      const { name: name2, options, callback: callback2 } = toRequestArguments(environment.global, arguments);
      checkEnvironment(environment);
      const log = openLog2();
      checkRequest(environment, name2, options);
      const { ifAvailable, mode, signal, steal } = options;
      return requestLock(environment, log, { names: [name2], mode, ifAvailable, steal }, signal, createLock, callback2);
    });
  },
  /** @returns {Promise<import('./query.js').LockManagerSnapshot>} */
  query() {
    return answer2(this, ({ environment, openLog: openLog2 }) => {
      checkEnvironment(environment);
      return openLog2().query().then(snapshotOf);
    });
  }
});
var createLockManager = (global2, openLog2) => createPlatformObject(LockManager, { environment: createEnvironment(global2), openLog: openLog2 });

// glue/api/known-options.js
var checkKnown = (operation, options, known) => {
  for (const option of optionsOf(options)) {
    if (known.includes(option)) continue;
    throw new TypeError(`${operation}() has no option ${show(option)}. Its options are ${known.join(", ")}.`);
  }
};

// glue/api/manager-options.js
var OWN = ["name", "scope", "directory", "keepAlive", "debug"];
var CLAIMS = ["url", "ttl", "clientId", "headers", "patience"];
var INSTALL = ["force", "insecure", "join", "debug"];
var refuse = (text2) => {
  throw new TypeError(text2);
};
var wantsClaims = (options) => {
  if (typeof options !== "object" || options === null) {
    return refuse(`createLockManager() needs an object with a name, or with the url of a claims service, not ${show(options)}.`);
  }
  if (!("url" in options)) {
    checkKnown("createLockManager", options, ["url", ...OWN]);
    return false;
  }
  if (typeof options.url !== "string" && Object.prototype.toString.call(options.url) !== "[object URL]") {
    refuse(`The option url must be a string, the address of a claims service, not ${show(options.url)}.`);
  }
  for (const option of ["name", "scope", "keepAlive", "directory"]) {
    if (
      /** @type {Record<string, unknown>} */
      options[option] === void 0
    ) continue;
    refuse(`The option ${option} cannot be combined with url: the locks of a claims service belong to all who use its address.`);
  }
  checkKnown("createLockManager", options, [...CLAIMS, ...OWN]);
  return true;
};
var checkDebug = (debug2) => {
  if (debug2 === void 0 || typeof debug2 === "boolean" || typeof debug2 === "function") return;
  refuse(`The option debug must be true, false or a function that is given each line, not ${show(debug2)}.`);
};
var toOwnManager = ({ name, scope, keepAlive, directory, debug: debug2 }, isNode3) => {
  checkDebug(debug2);
  if (scope !== void 0 && scope !== "process" && scope !== "host") {
    refuse(`The option scope must be 'process' or 'host', not ${show(scope)}.`);
  }
  if (scope === "host" && !isNode3) {
    refuse("The option scope cannot be 'host' in a browser: there a manager reaches all contexts of the origin, and no other.");
  }
  if (directory !== void 0 && scope !== "host") refuse("The option directory needs scope: 'host'.");
  if (directory !== void 0 && (typeof directory !== "string" || directory === "")) {
    refuse(`The option directory must be a path, not ${show(directory)}.`);
  }
  if (keepAlive !== void 0 && typeof keepAlive !== "boolean") {
    refuse(`The option keepAlive must be true or false, not ${show(keepAlive)}.`);
  }
  const options = { scope, keepAlive, directory };
  if (name === void 0 && keepAlive !== void 0 && scope === void 0) return { name: "", debug: debug2, options };
  if (name === void 0 || name === "") {
    refuse(`createLockManager() needs a name that is not empty: { name: 'my-app' }. ${name === "" ? "It is empty." : "There is none."}`);
  }
  if (typeof name !== "string" && typeof name !== "number") refuse(`The option name must be a string, not ${show(name)}.`);
  return { name: toDOMString(name), debug: debug2, options };
};
var checkInstallOptions = (options) => {
  if (options === void 0) return;
  if (typeof options !== "object" || options === null) return refuse(`install() takes its options as an object, not ${show(options)}.`);
  checkKnown("install", options, INSTALL);
  const given = (
    /** @type {Record<string, unknown>} */
    options
  );
  for (const option of ["force", "insecure", "join"]) {
    if (given[option] === void 0 || typeof given[option] === "boolean") continue;
    refuse(`The option ${option} of install() must be true or false, not ${show(given[option])}.`);
  }
  checkDebug(given.debug);
};

// glue/api/debug.js
var MOST_BLOCKERS = 3;
var LONG_ID = 20;
var shorten2 = (client) => client.length > LONG_ID ? client.slice(0, 8) : client;
var lockOf = ({ mode, names }) => `${mode} ${names.map(show).join(" + ")}`;
var titleOf2 = (description) => {
  const { ifAvailable, steal, wait, hold: hold2 } = description;
  const limits = [
    ifAvailable && "ifAvailable",
    steal && "steal",
    wait !== void 0 && `timeout ${wait} ms`,
    hold2 !== void 0 && `lease ${hold2} ms`
  ];
  const given = limits.filter(Boolean);
  return lockOf(description) + (given.length ? ` (${given.join(", ")})` : "");
};
var requestsBlocking = ({ held, pending }, { client, number, mode, names }) => {
  const place = pending.findIndex((each) => each.client === client && each.number === number);
  return [...held, ...pending.slice(0, Math.max(0, place))].filter((each) => (mode === "exclusive" || each.mode === "exclusive") && each.names.some((name) => names.includes(name)));
};
var createPrintingLog = (log, print, { label, now: now3, observation: observation2, hasLeader }) => {
  const open3 = /* @__PURE__ */ new Set();
  let count = 0;
  let leader = "";
  const say = (text2) => print(
    `lockkeeper${label && `[${label}]`} ${new Date(now3()).toISOString().slice(11, 23)} ${shorten2(log.clientId()) || "(new)"} ${text2}`
  );
  const nameOf = (client) => client === log.clientId() ? "this context" : shorten2(client);
  const ageOf = ({ since }) => `${Math.max(0, Math.round(now3() - since))} ms`;
  const find2 = (number) => [...open3].find(({ request }) => !request || request.number === number);
  const sayMembers = () => {
    if (!observation2) return "";
    const { members } = observation2.state();
    const eldest = members.length && hasLeader ? members[0].client : "";
    const leads = eldest && eldest !== leader ? `; the leader is ${nameOf(eldest)}` : "";
    leader = eldest;
    return `${members.length} ${members.length === 1 ? "member" : "members"}${leads}`;
  };
  const sayWaiting = (operation) => {
    const own = find2(operation.number);
    if (!own || !observation2) return;
    const blockers = requestsBlocking(observation2.state(), operation);
    const named = blockers.slice(0, MOST_BLOCKERS).map((each) => `${nameOf(each.client)} ${each.fence ? "holds" : "waits for"} ${lockOf(each)}`);
    const more = blockers.length > MOST_BLOCKERS ? ` and ${blockers.length - MOST_BLOCKERS} more` : "";
    say(`${own.title}: blocked, ${named.join(", ")}${more}`);
  };
  const observed = (operation, events = []) => {
    if (!operation) {
      if (observation2 && observation2.state().members.length) say(`has the state: ${sayMembers()}`);
      return;
    }
    const { type } = operation;
    if (type === "tick") return;
    if (type === "join") say(`${nameOf(operation.client)} joined: ${sayMembers()}`);
    else if (type === "gone") say(`${nameOf(operation.client)} is gone: it ended or left; ${sayMembers()}`);
    for (const { type: event, client, number } of events) {
      const own = event === "broken" && client === log.clientId() && find2(number);
      if (own) own.loss = `${type === "request" ? "stolen" : "broken by forceRelease()"} by ${nameOf(operation.client)}`;
    }
    if (type !== "request" || operation.client !== log.clientId()) return;
    if (!events.some(({ client, number }) => client === operation.client && number === operation.number)) sayWaiting(operation);
  };
  if (observation2) observation2.listen(observed);
  const sayOutcome = (own, outcome, fence, reason) => {
    const { title, held, loss } = own;
    const after = `after ${ageOf(own)}`;
    if (outcome === "granted") {
      say(`${title}: granted ${after}${fence ? `; fence ${fence}` : ""}`);
      own.held = true;
      own.since = now3();
      return;
    }
    open3.delete(own);
    if (outcome === "unavailable") say(`${title}: not available`);
    else if (outcome === "expired") say(`${title}: ${held ? `lost ${after}, its lease is over` : `timed out ${after}`}`);
    else {
      const why = loss || reason && reason.message || (outcome === "broken" ? "stolen, or broken by forceRelease()" : "this context has left, or the others took it for dead");
      say(`${title}: lost ${after}, ${why}`);
    }
  };
  const watched = (operation, promise) => {
    promise.catch((error) => say(`${operation}() failed: ${error}`));
    return promise;
  };
  return {
    ...log,
    request(description, listener) {
      const own = { title: `#${++count} ${titleOf2(description)}`, request: void 0, since: now3(), held: false, loss: "" };
      open3.add(own);
      say(`${own.title}: requested`);
      try {
        own.request = log.request(description, (outcome, fence, reason) => {
          sayOutcome(own, outcome, fence, reason);
          listener(outcome, fence, reason);
        });
      } catch (error) {
        open3.delete(own);
        say(`${own.title}: failed, ${error}`);
        throw error;
      }
      return own.request;
    },
    drop(request) {
      for (const own of open3) {
        if (own.request !== request) continue;
        open3.delete(own);
        say(`${own.title}: ${own.held ? "released" : "aborted"} after ${ageOf(own)}`);
      }
      log.drop(request);
    },
    query: () => watched("query", log.query()),
    inspect: () => watched("inspect", log.inspect()),
    forceRelease(names) {
      say(`forceRelease ${names.map(show).join(" + ")}`);
      return watched("forceRelease", log.forceRelease(names));
    },
    leave() {
      say("leaves");
      log.leave();
    }
  };
};
var withDebug = (openLog2, options) => {
  let opened;
  return () => {
    if (opened) return opened;
    const print = options.choosePrinter();
    opened = print ? createPrintingLog(openLog2(), print, options) : openLog2();
    return opened;
  };
};

// glue/api/own-manager.js
var answerOwn = (manager, operation) => answer2(manager, ({ own }) => {
  if (!own) throw new TypeError(illegalInvocation("LockManager of createLockManager()"));
  needStack(true);
  return operation(own);
});
var createPrototype = () => defineMembers(Object.create(LockManager.prototype), {
  inspect() {
    return answerOwn(this, (own) => own.inspect());
  },
  close() {
    return answerOwn(this, (own) => own.close());
  },
  ...Symbol.asyncDispose ? {
    [Symbol.asyncDispose]() {
      return answerOwn(this, (own) => own.close());
    }
  } : {}
});
var prototype;
var makeOwn = (manager, own) => {
  prototype = prototype || createPrototype();
  stateOf(LockManager, manager).own = own;
  return Object.setPrototypeOf(manager, prototype);
};

// glue/claims/answers.js
var idOf = (body) => (/\/v1\/(?:claims|sessions)\/(\d+)\/$/.exec(body && body.url) || ["", ""])[1];
var MARK3 = "Lockkeeper-Claims";
var isWhole = ({ status, body }) => status === 204 ? body === void 0 : typeof body === "object" && body !== null;
var isError = (body) => Boolean(body) && typeof body.error === "string" && Object.keys(body).length === 1;
var isList = (body) => Array.isArray(body) && body.every((each) => idOf(each) !== "");
var shows = ({ status, body }) => status < 300 && (idOf(body) !== "" || isList(body) && body.length > 0);
var looksOwn = ({ status, body }, asksForList = false) => {
  if (status < 300) return status === 204 || (asksForList ? isList(body) : idOf(body) !== "");
  return status === 400 || isError(body) && (status !== 404 || body.error.startsWith("There is no "));
};
var isUnknown = ({ status, body }, kind, id) => status === 404 && isError(body) && body.error.startsWith(`There is no ${kind} ${id}`);
var isNowhere = ({ status, body }) => status === 404 && isError(body) && body.error === "There is nothing at this address.";
var isFinal = (body) => Boolean(body) && /^The claim is \w+, and that is final\.$/.test(body.status);
var hasEnded2 = (answer3, id) => answer3.status === 204 || answer3.status === 400 && isFinal(answer3.body) || isUnknown(answer3, "claim", id);

// glue/claims/attempt.js
var LONGEST5 = 12e3;
var LONGEST_ATTEMPT = 3 * LONGEST5;
var unref = (timer2) => {
  if (timer2 && timer2.unref) timer2.unref();
};
var createAttempts2 = (global2, { base, headers }, onEnd, now3, { setTimeout: setTimeout2, clearTimeout: clearTimeout2, readWallClock: readWallClock2 }) => {
  return async (to, { body, headers: more, signal, wait = 0, isLast, longest = LONGEST5, grace = 0, ...how }) => {
    const ending2 = new global2.AbortController();
    let isSent = false;
    let missing = "";
    let timer2;
    let last;
    const stopListening = onEnd(signal, () => {
      if (!isSent || !grace) return ending2.abort();
      last = setTimeout2(() => ending2.abort(), grace);
      return unref(last);
    }, isLast);
    const limit = (what, extra = 0) => {
      clearTimeout2(timer2);
      timer2 = setTimeout2(() => {
        missing = what;
        ending2.abort();
      }, Math.min(longest, LONGEST5) + extra);
      if (isLast) unref(timer2);
    };
    try {
      const isMade = typeof headers === "function";
      if (isMade) limit("the function headers gives none");
      const given = isMade ? await unlessAborted(global2, ending2.signal, headers) : headers;
      const fault = faultOfHeaders(global2, given);
      if (fault) throw new global2.DOMException(fault, "DataError");
      const all = new global2.Headers(
        /** @type {Record<string, string>} */
        given
      );
      if (body) all.set("content-type", "application/json");
      for (const [name, value] of Object.entries(more || {})) all.set(name, value);
      limit("it does not answer", wait);
      const asked = now3();
      isSent = true;
      const response = await global2.fetch(new global2.URL(to, base), {
        // Follow no redirect, since the headers may be secret.
        ...how,
        redirect: "manual",
        signal: ending2.signal,
        headers: all,
        body: body && JSON.stringify(body)
      });
      const { status, type } = response;
      limit("it does not answer");
      return {
        status,
        text: await response.text(),
        asked,
        isMarked: response.headers.has(MARK3),
        retryAfter: retryAfterOf(response.headers, readWallClock2),
        isRedirect: type === "opaqueredirect" || status >= 300 && status < 400
      };
    } catch (error) {
      throw missing ? new TypeError(missing) : error;
    } finally {
      clearTimeout2(timer2);
      clearTimeout2(last);
      stopListening();
    }
  };
};
var retryAfterOf = (headers, readWallClock2) => {
  const text2 = headers.get("retry-after") || "";
  const seconds = Number(text2 || NaN);
  return Number.isNaN(seconds) ? Date.parse(text2) - (Date.parse(headers.get("date") || "") || readWallClock2()) : seconds * 1e3;
};
var unlessAborted = (global2, signal, give) => new Promise((resolve3, reject) => {
  const end2 = () => reject(new global2.DOMException("Nobody waits for the headers any more.", "AbortError"));
  signal.addEventListener("abort", end2);
  if (signal.aborted) end2();
  else Promise.resolve().then(give).then(resolve3, reject);
});
var NO_HEADERS = "The option headers must be an object of headers, a Headers or a list of pairs, or a function that gives one of these.";
var faultOfHeaders = (global2, headers) => {
  if (headers === void 0) return "";
  if (typeof headers !== "object" || headers === null) return NO_HEADERS;
  const { then, next } = (
    /** @type {Record<string, unknown>} */
    headers
  );
  if (typeof then === "function" || typeof next === "function") return NO_HEADERS;
  const entries = Symbol.iterator in headers ? Array.from(
    /** @type {Iterable<unknown>} */
    headers
  ) : Object.entries(headers);
  for (const entry of entries) {
    if (!Array.isArray(entry) || entry.length !== 2) return NO_HEADERS;
    const [name, value] = entry;
    try {
      new global2.Headers().append(name, value);
    } catch {
      return `The option headers: ${JSON.stringify(name)} or its value has characters that no header can have.`;
    }
  }
  return "";
};

// glue/claims/clock.js
var LEAP = 1e3;
var createClock = ({ readClock: readClock3, readWallClock: readWallClock2 }) => {
  const gap = () => readWallClock2() - readClock3();
  let last = gap();
  let suspended = 0;
  return () => {
    const leap = gap() - last;
    last += leap;
    if (leap >= LEAP) suspended += leap;
    return readClock3() + suspended;
  };
};

// glue/claims/lifetime.js
var createLifetime = ({ setTimeout: setTimeout2, clearTimeout: clearTimeout2 }) => {
  let stopped = false;
  const enders = /* @__PURE__ */ new Set();
  const isOver = (signal, isLast) => stopped && !isLast || signal && signal.aborted;
  const onEnd = (signal, listener, isLast) => {
    if (isOver(signal, isLast)) {
      listener();
      return () => {
      };
    }
    if (!isLast) enders.add(listener);
    if (signal) signal.addEventListener("abort", listener);
    return () => {
      enders.delete(listener);
      if (signal) signal.removeEventListener("abort", listener);
    };
  };
  return {
    isOver,
    onEnd,
    /**
     * @param {number} milliseconds
     * @param {AbortSignal} [signal] ends the pause
     * @param {boolean} [isLast] whether the pause goes on after stop(), and does not keep a process of Node alive
     * @returns {Promise<void>}
     */
    pause: (milliseconds, signal, isLast) => new Promise((resolve3) => {
      let stopListening = () => {
      };
      const finish = () => {
        clearTimeout2(timer2);
        stopListening();
        resolve3();
      };
      const timer2 = setTimeout2(finish, Math.min(milliseconds, LONGEST_TIMER));
      if (isLast) unref(timer2);
      stopListening = onEnd(signal, finish, isLast);
    }),
    isStopped: () => stopped,
    /** Ends everything except the last requests. */
    stop() {
      stopped = true;
      for (const end2 of enders) end2();
    }
  };
};

// glue/claims/recognition.js
var NONE = "0";
var QUESTION = `claims/${NONE}/`;
var createRecognition = () => {
  let isKnown2 = false;
  let marks = false;
  return {
    isKnown: () => isKnown2,
    hasMarks: () => marks,
    /** Whether the answer is the service's own. @param {Answer} answer @param {boolean} isMarked @param {boolean} isList was requested */
    isOwn(answer3, isMarked, isList2) {
      if (isMarked || shows(answer3)) marks = isMarked;
      const own = isWhole(answer3) && (isMarked || !marks && looksOwn(answer3, isList2));
      isKnown2 = isKnown2 || own;
      return own;
    },
    /** Learns from the answer to QUESTION whether the service marks its answers. @param {Answer} answer @param {boolean} isMarked */
    learn(answer3, isMarked) {
      if (isMarked || isUnknown(answer3, "claim", NONE)) marks = isMarked;
    }
  };
};

// glue/claims/connection.js
var PAUSE = 500;
var OPENSSL = /^\w+:error:\w+:([^:]*):[^:]*:([^:]*):[^]*$/;
var LONGEST_PAUSE2 = 3e4;
var PART2 = 1 / 6;
var textOf = (error) => !error ? "" : error.message ? error.message.replace(OPENSSL, "$1: $2") : (error.errors || []).map(textOf).join(", ");
var createConnection = (global2, time2, { url, ttl, patience, headers }) => {
  const address = String(url);
  const { origin, pathname } = new global2.URL(address);
  const base = new global2.URL(`${origin}${pathname.replace(/\/?$/, "/v1/")}`);
  const now3 = createClock(time2);
  const { isOver, isStopped, onEnd, pause, stop } = createLifetime(time2);
  const { isKnown: isKnown2, isOwn, learn, hasMarks } = createRecognition();
  const ask = createAttempts2(global2, { base, headers }, onEnd, now3, time2);
  let warned = false;
  const warn = (reason) => {
    if (!warned) global2.console.warn(`lockkeeper: the claims service at ${address} cannot be reached (${reason}); it is asked again.`);
    warned = true;
  };
  const judge = ({ status, text: text2, asked, isMarked, isRedirect, retryAfter }, { mayBeBusy = false, isList: isList2 = false }) => {
    const answer3 = { status, body: parse2(text2) };
    const own = !isRedirect && isOwn(answer3, isMarked, isList2);
    const isBusy = status >= 500 || status === 429 && !mayBeBusy;
    if (!isKnown2() && !isBusy) throw wrongAddress(isRedirect, status, text2);
    return {
      ...own && !isBusy && { answer: { ...answer3, asked } },
      reason: isRedirect ? "it redirects" : `it answers ${status}${own ? `, ${JSON.stringify(answer3.body)}` : ""}`,
      rest: retryAfter > PAUSE ? Math.max(PAUSE, Math.min(retryAfter, LONGEST_PAUSE2, ttl * 1e3 * PART2)) : PAUSE,
      isDoubtful: !own && !isRedirect && looksOwn(answer3, isList2)
    };
  };
  const reasonOf = (error, { signal, isLast }) => {
    const failure = (
      /** @type {Error & {cause?: Error}} */
      Object(error) === error ? error : new Error(`The option headers: its function failed with ${String(error)}.`)
    );
    if (isOver(signal, isLast) || failure.name !== "TypeError") throw failure;
    const text2 = textOf(failure.cause) || textOf(failure);
    if (text2 === "bad port") throw networkError("cannot be asked: fetch() refuses its port");
    return text2;
  };
  const askUntilAnswered = async (to, { isWanted = () => true, mayBeBusy, isList: isList2, short = to, ...how }) => {
    const { signal, isLast } = how;
    let spent = 0;
    for (let isFirst = true; ; isFirst = false) {
      const began = time2.readClock();
      let reason;
      let rest;
      try {
        const result = judge(await ask(isFirst ? to : short, isFirst ? how : { ...how, wait: 0 }), { mayBeBusy, isList: isList2 });
        if (result.answer) {
          warned = false;
          return { ...result.answer, isFirst };
        }
        ({ reason, rest } = result);
        if (result.isDoubtful) {
          const seen = await ask(QUESTION, { signal, isLast, longest: how.longest });
          learn({ status: seen.status, body: parse2(seen.text) }, seen.isMarked);
        }
      } catch (error) {
        reason = reasonOf(error, how);
        rest = PAUSE;
      }
      let left = Infinity;
      if (!isFirst || short === to) {
        const took = time2.readClock() - began;
        if (took <= LONGEST_ATTEMPT) spent += took;
        const longest = isWanted() ? patience : Math.min(patience, ttl);
        left = longest * 1e3 - spent;
        if (left <= 0) throw networkError(`could not be reached for ${longest} s: ${reason}`);
        warn(reason);
        spent += Math.min(rest, left);
      }
      await pause(Math.min(rest, left), signal, isLast);
      if (isOver(signal, isLast)) throw new global2.DOMException("Nobody waits for the answer any more.", "AbortError");
    }
  };
  const insist = async (to, how) => {
    const answer3 = await askUntilAnswered(to, how);
    const isRefused = answer3.status === 401 || answer3.status === 403 && !how.method;
    if (!isRefused || typeof headers !== "function") return answer3;
    await pause(PAUSE, how.signal, how.isLast);
    const second = await askUntilAnswered(to, how);
    return { ...second, isFirst: answer3.isFirst && second.isFirst };
  };
  const wrongAddress = (isRedirect, status, text2) => new Error(isRedirect ? `${address} redirects to another address. The option url must be the address of the service itself.` : `${address} is no claims service: it answered ${status} with ${JSON.stringify(text2.slice(0, 80))}.`);
  const networkError = (text2) => new global2.DOMException(`The claims service at ${address} ${text2}.`, "NetworkError");
  const parse2 = (text2) => {
    try {
      return JSON.parse(text2);
    } catch {
      return void 0;
    }
  };
  return { address, base, now: now3, pause, insist, networkError, isStopped, stop, hasMarks };
};

// glue/claims/service.js
var LONGEST_WAIT = 25;
var SHORTEST_WAIT = 1;
var PAGE = 1e4;
var BETWEEN = 1e3;
var GRACE = 2e3;
var QUICK = 250;
var createService = (global2, time2, { url, ttl = 30, headers = {}, patience = 60 }, clientId, randomId3) => {
  const connection = createConnection(global2, time2, { url, ttl, patience, headers });
  const { address, base, now: now3, pause, insist, hasMarks } = connection;
  const read = ({ body, asked }) => ({ ...body, id: idOf(body), asked });
  const addressOf = (kind, { id, created }) => `${kind}/${id}/?created=${encodeURIComponent(created)}`;
  const refusal = ({ status, body }) => new Error(isNowhere({ status, body }) ? `The claims service at ${address} has nothing at this path. The option url must be the address of its start page, without "v1/", and the service must be 0.2.0 or later.` : `The claims service at ${address} answered ${status}: ${JSON.stringify(body)}`);
  const mayWait = () => {
    const { document, performance: performance2, WorkerGlobalScope } = (
      /** @type {any} */
      global2
    );
    if (!document && !WorkerGlobalScope) return true;
    const entries = performance2.getEntriesByName ? performance2.getEntriesByName(new global2.URL("sessions/", base).href) : [];
    const { nextHopProtocol } = entries[entries.length - 1] || {};
    return /^h[23]/.test(String(nextHopProtocol));
  };
  return {
    ...connection,
    ttl,
    patience,
    key: randomId3,
    /** Begins a session. Only the answer names it, so that it can be ended. @param {() => boolean} isWanted */
    async begin(isWanted) {
      const answer3 = await insist("sessions/", { method: "POST", body: { ttl }, isWanted, grace: GRACE });
      if (answer3.status !== 201) throw refusal(answer3);
      return { id: idOf(answer3.body), created: (
        /** @type {string} */
        answer3.body.created
      ), asked: answer3.asked };
    },
    /**
     * @param {{id: string, created: string}} session
     * @param {AbortSignal} signal
     * @returns {Promise<{status: number, asked: number, active?: Set<string>, isGone: boolean}>} [active]: its active claims, if it was
     *   renewed. [isGone]: there is no such session
     */
    async renew(session, signal) {
      const { id, created } = session;
      const { status, body, asked } = await insist(addressOf("sessions", session), { method: "PATCH", body: { ttl }, signal });
      if (status !== 200) {
        return { status, asked, isGone: isUnknown({ status, body }, "session", id) };
      }
      if (body.created !== created) return { status: 404, asked, isGone: true };
      return { status, asked, active: new Set(body.active.map((url2) => idOf({ url: url2 }))), isGone: false };
    },
    /**
     * Ends a session with its remaining claims. Not at a service that does not mark its answers, since it could end another one: see
     * addressOf().
     * @param {{id: string, created: string}} session
     * @param {import('./session.js').Last} last
     * @returns {Promise<boolean>} whether it is over, or must end by itself
     */
    async leave(session, last) {
      if (!hasMarks()) return true;
      const answer3 = await insist(addressOf("sessions", session), { method: "DELETE", isWanted: () => false, ...last });
      return answer3.status === 204 || isUnknown(answer3, "session", session.id);
    },
    /**
     * @param {string | string[]} resource
     * @param {string} mode
     * @param {{id: string, created: string}} session
     * @param {string} key makes a repetition harmless
     * @param {import('./session.js').Last & {isWanted?: () => boolean}} how
     * @returns {Promise<Claim | undefined>} undefined if the session is over. An error with `isSure` says that no claim was made. One with
     *   `isFinal` says that an earlier attempt made none either; a 403 does not say that, since rights may have changed
     */
    async make(resource, mode, session, key, how) {
      const answer3 = await insist(`claims/?session_created=${encodeURIComponent(session.created)}`, {
        method: "POST",
        // query() shows the user_data.
        body: { resource, session: session.id, mode, user_data: { clientId } },
        headers: { "idempotency-key": key },
        ...how
      });
      const { status, body, isFirst } = answer3;
      if (status === 400 && body.session) return void 0;
      if (status === 201 || status === 202) return read(answer3);
      throw Object.assign(refusal(answer3), { isSure: isFirst, isFinal: [400, 409, 422].includes(status) });
    },
    /**
     * Resolves with the claim as soon as it is no longer waiting; with undefined if the service no longer knows it.
     * @param {Claim} claim
     * @param {AbortSignal} signal
     */
    async whenNotWaiting({ id, created }, signal) {
      const short = `claims/${id}/`;
      let wait = LONGEST_WAIT;
      let wasCut = false;
      for (; ; ) {
        const waits = mayWait();
        if (!waits || wasCut) await pause(BETWEEN, signal);
        const [to, how] = waits ? [`${short}?wait=${wait}&while=waiting`, { wait: wait * 1e3, short, mayBeBusy: true }] : [short, {}];
        let answer3 = await insist(to, { signal, ...how });
        wasCut = waits && !answer3.isFirst;
        wait = wasCut ? Math.max(SHORTEST_WAIT, Math.floor(wait / 2)) : Math.min(LONGEST_WAIT, wait + 1);
        if (answer3.status === 429) {
          await pause(BETWEEN, signal);
          answer3 = await insist(short, { signal });
        }
        if (isUnknown(answer3, "claim", id)) return void 0;
        if (answer3.status !== 200) throw refusal(answer3);
        const claim = read(answer3);
        if (claim.created !== created) return void 0;
        if (claim.status !== "waiting") return claim;
      }
    },
    /**
     * @param {Claim} claim
     * @param {'released' | 'aborted' | 'withdrawn'} status
     * @param {import('./session.js').Last} [last]
     * @returns {Promise<boolean>} whether the claim has ended; false if the service refused, for example an expired token
     */
    async finish(claim, status, last) {
      const { id, created, asked } = claim;
      const how = { isWanted: () => false, ...last };
      if (!hasMarks() && now3() - asked > QUICK) {
        const seen = await insist(`claims/${id}/`, how);
        if (isUnknown(seen, "claim", id)) return true;
        if (seen.status !== 200) return false;
        if (seen.body.created !== created) return true;
      }
      const answer3 = await insist(addressOf("claims", claim), { method: "PATCH", body: { status }, ...how });
      return hasEnded2(answer3, id);
    },
    /** Ends a claim, also one of another client if the service allows it. @param {Claim} claim */
    async revoke(claim) {
      const answer3 = await insist(addressOf("claims", claim), { method: "PATCH", body: { status: "revoked" } });
      if (hasEnded2(answer3, claim.id)) return;
      throw answer3.status === 403 ? new global2.DOMException(
        `The claims service at ${address} does not let you revoke this claim.`,
        "NotAllowedError"
      ) : refusal(answer3);
    },
    /** @param {'active' | 'waiting'} status */
    async list(status) {
      const found = /* @__PURE__ */ new Map();
      for (let offset = 0; ; offset += PAGE) {
        const answer3 = await insist(`claims/?status=${status}&limit=${PAGE}&offset=${offset}`, { isList: true });
        if (answer3.status !== 200 || !Array.isArray(answer3.body)) throw refusal(answer3);
        for (const each of answer3.body) found.set(idOf(each), read({ body: each, asked: answer3.asked }));
        if (answer3.body.length < PAGE) return [...found.values()];
      }
    }
  };
};
var clientOf = ({ user_data: data }, otherwise) => data && data.clientId || otherwise;

// glue/claims/session.js
var BETWEEN2 = 500;
var LOOK4 = 1e3;
var NOT_RENEWED = "it was not renewed in time: this thread was busy or suspended, or the service cannot be reached";
var REPEAT = 2e3;
var SELDOM3 = 6e4;
var createSessions = (global2, service) => {
  const { now: now3 } = service;
  const whole = service.ttl * 1e3;
  let current;
  let beginning;
  let waiting = 0;
  const begin = async () => {
    const { id, created, asked } = await service.begin(() => waiting > 0);
    current = {
      id,
      created,
      end: asked + whole,
      gone: now3() + whole,
      users: 0,
      hasLasted: false,
      begun: now3(),
      wasAsleep: false,
      over: void 0,
      failure: void 0,
      held: /* @__PURE__ */ new Map(),
      rest: void 0
    };
    return current;
  };
  const beginTogether = async (signal) => {
    let isOlder = Boolean(beginning);
    for (; ; ) {
      beginning = beginning || begin().finally(() => {
        beginning = void 0;
      });
      try {
        return await beginning;
      } catch (error) {
        if (!isOlder || signal.aborted || /** @type {Error} */
        error.name !== "NetworkError") throw error;
        isOlder = false;
      }
    }
  };
  const end2 = (session, reason) => {
    if (session.over) return;
    session.over = reason;
    session.wasAsleep = now3() > Math.max(session.end, session.begun) + 2 * LOOK4 || session.begun > session.end - whole + LONGEST_ATTEMPT;
    if (current === session) current = void 0;
    if (session.rest) session.rest.abort();
    for (const lose of [...session.held.keys()]) lose(reason);
  };
  const left = (session) => Math.max(0, session.end - now3() - whole / 10);
  const isOver = (session) => {
    if (!session.over && !left(session)) end2(session, session.failure || NOT_RENEWED);
    return Boolean(session.over);
  };
  const endInTime = async (session, signal) => {
    await service.pause(left(session), signal);
    if (!signal.aborted) isOver(session);
  };
  const watch3 = async (session, signal) => {
    while (!signal.aborted && !service.isStopped() && !isOver(session)) {
      await service.pause(Math.min(LOOK4, left(session)), signal);
    }
  };
  const keep = async (session) => {
    const { signal } = session.rest = new global2.AbortController();
    void watch3(session, signal);
    void endInTime(session, signal);
    while (!signal.aborted && !service.isStopped()) {
      await service.pause(Math.max(0, session.end - now3() - whole * 2 / 3), signal);
      if (!signal.aborted && !isOver(session)) await renew(session, signal);
    }
  };
  const renew = async (session, signal) => {
    const held = [...session.held];
    do {
      const answer3 = await service.renew(session, signal).catch((error) => ({ error, status: 0, asked: 0, active: void 0, isGone: false }));
      session.gone = now3() + whole;
      const { status, active, asked, isGone } = answer3;
      if (active) {
        Object.assign(session, { end: asked + whole, hasLasted: true, failure: void 0 });
        for (const [lose, id] of held) if (!active.has(id)) lose("the claim has ended");
        void endInTime(session, signal);
        return;
      }
      if (isGone) return end2(session, `its session has ended (${status})`);
      if (signal.aborted || isOver(session)) return;
      session.failure = status ? `the service answers ${status}` : String(
        /** @type {{error: unknown}} */
        answer3.error
      );
      await service.pause(BETWEEN2, signal);
    } while (!signal.aborted && !service.isStopped());
  };
  const repeat = async (session, step) => {
    for (let pause = REPEAT; ; pause = Math.min(pause * 2, SELDOM3)) {
      if (await step({ isLast: true, longest: pause }).catch(() => false) || session.gone <= now3()) return;
      await service.pause(pause, void 0, true);
    }
  };
  return {
    end: end2,
    isOver,
    repeat,
    /** Ends the session at the service, so that the service need not keep it until its lease ends. */
    async close() {
      const session = current;
      if (session && session.gone > now3()) await repeat(session, (last) => service.leave(session, last));
    },
    /**
     * @param {AbortSignal} signal aborts when the session is no longer wanted
     * @returns {Promise<Session>} a session that is renewed until leave()
     */
    async enter(signal) {
      if (current && current.users === 0 && current.end - now3() < whole / 3) current = void 0;
      let session = current;
      if (!session) {
        waiting++;
        const give = () => void waiting--;
        signal.addEventListener("abort", give);
        try {
          session = await beginTogether(signal);
        } finally {
          signal.removeEventListener("abort", give);
          if (!signal.aborted) give();
        }
      }
      session.users += 1;
      if (session.users === 1) void keep(session);
      return session;
    },
    /** @param {Session} session */
    leave(session) {
      session.users -= 1;
      if (session.users === 0 && session.rest) session.rest.abort();
    },
    /**
     * Resolves with the reason when the claim is lost, or with undefined when [signal] aborts.
     * @param {Session} session
     * @param {string} id
     * @param {AbortSignal} signal
     * @returns {Promise<string | undefined>}
     */
    hold: (session, id, signal) => new Promise((resolve3) => {
      const finish = (reason) => {
        session.held.delete(finish);
        signal.removeEventListener("abort", release);
        resolve3(reason);
      };
      const release = () => finish(void 0);
      for (const [lose, other] of [...session.held]) if (other === id) lose("the service has lost its data");
      session.held.set(finish, id);
      signal.addEventListener("abort", release);
      if (signal.aborted) release();
    })
  };
};

// glue/claims/log.js
var EXPIRED = "expired";
var LONGEST_REST = 1e3;
var PAUSE2 = 500;
var MANY3 = 10;
var NO_SESSION_LASTS = "Either the option ttl is too short, or several services without common data share the address";
var createClaimsLog = (global2, time2, options, randomId3) => {
  const clientId = options.clientId === void 0 ? randomId3() : options.clientId;
  const service = createService(global2, time2, options, clientId, randomId3);
  const sessions = createSessions(global2, service);
  const open3 = /* @__PURE__ */ new Set();
  const exception = (text2, name) => new global2.DOMException(text2, name);
  const { setTimeout: setTimeout2, clearTimeout: clearTimeout2 } = time2;
  const { now: now3 } = service;
  const onTime = (time3, signal, listener) => {
    let timer2;
    const wait = () => {
      const left = Math.max(0, time3 - now3());
      timer2 = setTimeout2(left > LONGEST_TIMER ? wait : listener, Math.min(left, LONGEST_TIMER));
    };
    if (time3 < Infinity) wait();
    signal.addEventListener("abort", listener);
    return () => {
      if (timer2 !== void 0) clearTimeout2(timer2);
      signal.removeEventListener("abort", listener);
    };
  };
  const run2 = async (request, description, listener) => {
    const { signal } = request.end;
    const latest = now3() + (description.wait === void 0 ? Infinity : description.wait);
    let fruitless = 0;
    while (!signal.aborted) {
      const began = now3();
      const session = await sessions.enter(signal);
      try {
        if (await attempt(request, session, description, latest, listener)) return;
      } finally {
        sessions.leave(session);
      }
      fruitless = session.wasAsleep || session.hasLasted && now3() - began > PAUSE2 ? 0 : fruitless + 1;
      if (fruitless < 2) continue;
      if (fruitless * PAUSE2 > service.patience * 1e3) {
        throw service.networkError(`has ended every session within ${service.patience} s. ${NO_SESSION_LASTS}`);
      }
      if (fruitless === MANY3) {
        global2.console.warn(`lockkeeper: the claims service at ${service.address} ends each session at once, and is asked for another one again and again. ${NO_SESSION_LASTS}.`);
      }
      await service.pause(PAUSE2, signal);
    }
  };
  const whenNotWaiting = async (claim, latest, signal) => {
    const patience = new global2.AbortController();
    const stopWaiting = onTime(latest, signal, () => patience.abort());
    try {
      return latest > now3() ? await service.whenNotWaiting(claim, patience.signal) || { ...claim, status: "forgotten" } : claim;
    } catch (error) {
      if (patience.signal.aborted) return claim;
      throw error;
    } finally {
      stopWaiting();
    }
  };
  const attempt = async ({ end: end2, loss }, session, { names, mode, ifAvailable, hold: hold2 = Infinity }, latest, listener) => {
    const { signal } = end2;
    if (signal.aborted) return true;
    const key = service.key();
    const make2 = (how) => service.make(names.length === 1 ? names[0] : names, mode, session, key, how);
    const withdraw = async (last) => {
      const made = await make2({ isWanted: () => false, ...last }).catch((error) => {
        if (error && error.isFinal) return void 0;
        throw error;
      });
      return !made || service.finish(made, "aborted", last);
    };
    const first = await make2({ isWanted: () => !signal.aborted }).catch((error) => {
      if (!(error && error.isSure)) void sessions.repeat(session, withdraw);
      throw error;
    });
    if (!first) {
      sessions.end(session, "its session has ended");
      return false;
    }
    let claim = first;
    const finishLater = (status) => void sessions.repeat(session, (last) => service.finish(claim, status, last));
    const finish = async (status) => {
      if (!await service.finish(claim, status).catch(() => false)) finishLater(status);
    };
    const refuse2 = (outcome) => {
      end2.abort();
      listener(outcome, 0);
    };
    if (claim.status === "waiting" && ifAvailable && !signal.aborted) {
      refuse2("unavailable");
      await finish("withdrawn");
      return true;
    }
    try {
      if (claim.status === "waiting" && !signal.aborted) claim = await whenNotWaiting(claim, latest, signal);
      if (signal.aborted) throw signal;
      if (claim.status === "waiting") {
        refuse2(EXPIRED);
        await finish("aborted");
        return true;
      }
      if (sessions.isOver(session) || claim.status === "expired" || claim.status === "forgotten") {
        void finish("aborted");
        return false;
      }
      if (claim.status !== "active") throw exception(`The ${lockOn(names)} was not granted: its claim is ${claim.status}.`, "AbortError");
    } catch (error) {
      const finished = finish("aborted");
      if (!signal.aborted) throw error;
      await finished;
      return true;
    }
    const held = new global2.AbortController();
    const stopLease = onTime(now3() + hold2, signal, () => held.abort());
    const losing = sessions.hold(session, claim.id, held.signal);
    listener(
      "granted",
      /** @type {number} */
      claim.fence
    );
    const reason = await losing;
    stopLease();
    if (reason !== void 0) {
      if (session.over) finishLater("released");
      throw exception(`The ${lockOn(names)} was lost: ${reason}.`, "AbortError");
    }
    if (!signal.aborted) {
      const [name, text2] = ending(EXPIRED, names, true);
      loss.abort(exception(text2, name));
      listener(EXPIRED, 0);
    }
    await finish("released");
    return true;
  };
  const listAll = async () => {
    const waiting = await service.list("waiting");
    const held = await service.list("active");
    const active = new Set(held.map(({ id }) => id));
    return { held, pending: waiting.filter(({ id }) => !active.has(id)) };
  };
  const log = {
    clientId: () => clientId,
    join() {
    },
    /** @param {RequestDescription} description @param {import('../log/types.js').RequestListener} listener */
    request(description, listener) {
      if (description.steal) {
        throw exception("A claim cannot be stolen. Someone who may revoke claims can end it at the service.", "NotSupportedError");
      }
      const request = {
        loss: new global2.AbortController(),
        end: new global2.AbortController(),
        released: Promise.resolve(),
        lose(error) {
          if (request.end.signal.aborted) return;
          request.end.abort();
          request.loss.abort(error);
          listener(
            "lost",
            0,
            /** @type {Error} */
            error
          );
        },
        close() {
          const [name, text2] = ending("closed", description.names, false);
          request.lose(exception(text2, name));
        }
      };
      open3.add(request);
      request.released = Promise.resolve().then(() => run2(request, description, listener)).catch(request.lose).finally(() => open3.delete(request));
      return request;
    },
    /** @param {ClaimRequest} request */
    drop: (request) => request.end.abort(),
    /** Resolves when a claim is over at the service, or after a second at the latest. @param {Pick<ClaimRequest, 'released'>} request */
    rest({ released }) {
      const over = new global2.AbortController();
      return Promise.race([released.finally(() => over.abort()), service.pause(LONGEST_REST, over.signal)]);
    },
    async query() {
      const show2 = (claim) => ({ client: clientOf(claim, ""), mode: claim.mode, names: [claim.resource].flat() });
      const { held, pending } = await listAll();
      return { held: held.map(show2), pending: pending.map(show2) };
    },
    /** Revokes the claims one by one, so a waiting request may be granted before the last one is revoked. @param {string[]} names */
    async forceRelease(names) {
      for (const claim of await service.list("active")) {
        if (names.some((name) => [claim.resource].flat().includes(name))) await service.revoke(claim);
      }
    },
    async inspect() {
      const show2 = (claim) => ({
        client: clientOf(claim, `claim ${claim.id}`),
        number: Number(claim.id),
        mode: claim.mode,
        names: [claim.resource].flat(),
        fence: claim.fence || 0,
        since: Date.parse(claim.status_history[claim.status_history.length - 1].timestamp)
      });
      const all = await listAll();
      const [held, pending] = [all.held.map(show2), all.pending.map(show2)];
      const clients = new Set([...held, ...pending].sort((one, other) => one.number - other.number).map(({ client }) => client));
      return { client: clientId, leader: "", log: "", count: 0, state: {
        members: [...clients].map((client) => ({ client })),
        held,
        pending
      } };
    },
    leave() {
      for (const request of open3) request.close();
    }
  };
  return { log, open: open3, endSession: sessions.close, stop: service.stop };
};

// glue/claims/manager.js
var define = (object, members) => Object.defineProperties(object, Object.fromEntries(Object.entries(members).map(([name, value]) => [name, { value, configurable: true, writable: typeof value === "function" }])));
var check3 = ({ url, ttl, clientId, headers, patience, debug: debug2 }, global2) => {
  checkDebug(debug2);
  const refuse2 = (text2) => {
    throw new TypeError(text2);
  };
  let address;
  try {
    address = new global2.URL(String(url));
    if (!/^https?:$/.test(address.protocol)) throw url;
  } catch {
    return refuse2(`The option url must be the http or https address of a claims service, such as "http://localhost:8470", not ${show(String(url))}.`);
  }
  if (address.username || address.password || address.search || address.hash) {
    refuse2("The option url must not have a user or a password, a query or a fragment. The option headers can have an Authorization.");
  }
  if (ttl !== void 0 && !(typeof ttl === "number" && ttl > 0 && ttl <= 1e9)) {
    refuse2(`The option ttl must be a number of seconds above 0, at most 1e9, not ${show(ttl)}.`);
  }
  if (patience !== void 0 && !(typeof patience === "number" && patience >= 0)) {
    refuse2(`The option patience must be a number of seconds, or Infinity, not ${show(patience)}.`);
  }
  if (clientId !== void 0 && (typeof clientId !== "string" || clientId === "")) {
    refuse2(`The option clientId must be a string that is not empty, not ${show(clientId)}.`);
  }
  const fault = typeof headers === "function" ? "" : faultOfHeaders(global2, headers);
  if (fault) refuse2(fault);
};
var createClaimsLockManager = (global2, time2, options, randomId3, choosePrinter) => {
  check3(options, global2);
  const { log, open: open3, endSession, stop } = createClaimsLog(global2, time2, options, randomId3);
  const openInner = (
    /** @type {() => ClaimsLog} */
    withDebug(
      () => (
        /** @type {ClaimsLog} */
        /** @type {unknown} */
        log
      ),
      { label: String(options.url), now: time2.readWallClock, choosePrinter }
    )
  );
  let closed = false;
  const openLog2 = () => {
    if (closed) throw new global2.DOMException("This lock manager is closed.", "InvalidStateError");
    return openInner();
  };
  let current;
  const observe = () => {
    const inner = openLog2();
    return {
      ...inner,
      /** @type {ClaimsLog['request']} */
      request(description, listener) {
        const request = inner.request(description, (outcome, fence, reason) => {
          current = { request, fence };
          listener(outcome, fence, reason);
        });
        current = { request, fence: 0 };
        return request;
      }
    };
  };
  const manager = makeOwn(createLockManager(global2, observe), {
    inspect: async () => {
      const inspection = await openLog2().inspect();
      const { held, pending } = inspection.state;
      const since = new Map(
        /** @type {DatedRequest[]} */
        [...held, ...pending].map((request) => [request.number, request.since])
      );
      return reportOf(inspection, (client, number) => (
        /** @type {number} */
        since.get(number)
      ));
    },
    close() {
      closed = true;
      log.leave();
      const released = Promise.all([...open3].map((request) => request.released)).then(endSession);
      return log.rest({ released }).then(stop);
    }
  });
  define(manager, {
    /** @param {unknown} name @param {unknown} callback */
    // eslint-disable-next-line no-unused-vars -- the parameters are there to be counted
    request(name, callback) {
      const parameters = [...arguments];
      const place = parameters.length > 2 ? 2 : 1;
      const called = parameters[place];
      if (typeof called === "function") {
        parameters[place] = (lock) => {
          const { request, fence } = (
            /** @type {NonNullable<typeof current>} */
            current
          );
          return called(lock && define(lock, { fence, signal: request.loss.signal }));
        };
      }
      current = void 0;
      const result = LockManager.prototype.request.apply(
        this,
        /** @type {[]} */
        /** @type {unknown} */
        parameters
      );
      const made = (
        /** @type {{request: ClaimRequest} | undefined} */
        /** @type {unknown} */
        current
      );
      return made ? result.finally(() => log.rest(made.request)) : result;
    }
  });
  return { manager, openLog: openLog2 };
};

// glue/entries/debugging.js
var printerFor = (option) => {
  if (typeof option === "function") return (line) => void Promise.resolve(line).then(option);
  return (option === void 0 ? isOn(debugSetting()) : option) ? printLine : void 0;
};
var isOn = (setting) => !["", "0", "false", "undefined", "null"].includes(String(setting));

// glue/platform/realm.js
var isNode2 = typeof self === "undefined";
if (!IS_PACKAGE && isNode2) throw new TypeError("This script is not for Node: import lockkeeper/auto");
var global = IS_PACKAGE && isNode2 ? globalThis : self;

// glue/entries/place.js
var startLog = createLog;
var logOpener = (name, options, watch3) => {
  let log;
  return () => log = log || startLog(name, options, watch3);
};

// glue/entries/claims.js
var time = { setTimeout, clearTimeout, readClock, readWallClock };
var createClaimsLockManager2 = (options) => createClaimsLockManager(global, time, options, randomId2, () => printerFor(options.debug));

// glue/api/closing.js
var createClosable = (openInner, environment) => {
  let outer;
  let closed;
  const waiting = /* @__PURE__ */ new Map();
  const held = /* @__PURE__ */ new Set();
  let answersDue = 0;
  let finish = () => {
  };
  const finishWhenIdle = () => {
    if (closed && !waiting.size && !held.size && !answersDue) finish();
  };
  const awaited = (answer3) => {
    answersDue++;
    const arrived = () => {
      answersDue--;
      finishWhenIdle();
    };
    answer3.then(arrived, arrived);
    return answer3;
  };
  const watch3 = (log) => ({
    ...log,
    request(description, listener) {
      const request = log.request(description, (outcome, fence, reason) => {
        waiting.delete(request);
        if (outcome === "granted") held.add(request);
        else held.delete(request);
        listener(outcome, fence, reason);
        finishWhenIdle();
      });
      waiting.set(request, () => listener("closed", 0));
      return request;
    },
    drop(request) {
      waiting.delete(request);
      held.delete(request);
      log.drop(request);
      finishWhenIdle();
    },
    query: () => awaited(log.query()),
    inspect: () => awaited(log.inspect()),
    forceRelease: (names) => awaited(log.forceRelease(names))
  });
  return {
    openLog() {
      if (closed) throw createException(environment, "InvalidStateError", "This lock manager is closed.");
      outer = outer || watch3(openInner());
      return outer;
    },
    close() {
      closed = closed || new Promise((resolve3) => {
        finish = () => {
          finish = () => {
          };
          if (outer) outer.leave();
          resolve3();
        };
        void Promise.resolve().then(finishWhenIdle);
      });
      const { drop } = outer || { drop() {
      } };
      for (const [request, end2] of [...waiting]) {
        drop(request);
        end2();
      }
      return closed;
    }
  };
};

// glue/api/observation.js
var createObservation = (now3) => {
  let current;
  let replacedAt = 0;
  const origin = now3();
  const times = /* @__PURE__ */ new Map();
  const listeners = /* @__PURE__ */ new Set();
  const timesOf = (client) => {
    let known = times.get(client);
    if (!known) times.set(client, known = /* @__PURE__ */ new Map());
    return known;
  };
  const applied = (operation, events) => {
    let waits = operation.type === "request";
    const time2 = waits || events.length ? Math.floor(now3() - origin) : 0;
    for (const { type, client, number } of events) {
      if (type === "granted") timesOf(client).set(number, time2);
      else timesOf(client).delete(number);
      if (operation.type === "request" && number === operation.number && client === operation.client) waits = false;
    }
    if (operation.type === "request" && waits) timesOf(operation.client).set(operation.number, time2);
    if (operation.type === "gone") times.delete(operation.client);
    if (listeners.size) listeners.forEach((listener) => listener(operation, events));
  };
  const replaced = () => {
    times.clear();
    replacedAt = now3();
    for (const listener of listeners) listener();
  };
  const wrap = (core) => Object.assign(
    {},
    core,
    /** @type {Partial<Core>} */
    {
      apply(operation) {
        current = core;
        const events = core.apply(operation);
        applied(operation, events);
        return events;
      },
      restore(bytes) {
        core.restore(bytes);
        current = core;
        replaced();
      },
      reset(fence) {
        core.reset(fence);
        current = core;
        replaced();
      }
    }
  );
  return {
    watch: (open3) => (...given) => {
      const core = open3(...given);
      return (
        /** @type {typeof core} */
        "then" in core ? core.then(wrap) : wrap(core)
      );
    },
    state: () => current.state(),
    sinceOf(client, number) {
      const known = times.get(client);
      const time2 = known && known.get(number);
      return time2 === void 0 ? replacedAt : origin + time2;
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    }
  };
};

// glue/api/blank-frames.js
var installInBlankFrames = ({ HTMLIFrameElement }, installIn) => {
  if (!HTMLIFrameElement) return;
  const { prototype: prototype2 } = HTMLIFrameElement;
  const { get, configurable } = (
    /** @type {{get: () => Window & typeof globalThis, configurable?: boolean}} */
    Object.getOwnPropertyDescriptor(prototype2, "contentWindow") || {}
  );
  if (!configurable) return;
  defineMembers(prototype2, {
    get contentWindow() {
      const window = get.call(this);
      try {
        if (window.location.href.startsWith("about:blank")) installIn(window);
      } catch {
      }
      return window;
    }
  });
};

// glue/api/install.js
var install = (global2, manager, interfaces, { force, insecure } = {}) => {
  const { navigator } = global2;
  let isForeign;
  try {
    if (navigator && navigator.locks && !force) return navigator.locks;
  } catch {
    isForeign = true;
  }
  if (global2.isSecureContext === false && !insecure) return void 0;
  if (!navigator) return manager;
  const prototype2 = Object.getPrototypeOf(navigator);
  const isOwn = isForeign || prototype2 === Object.prototype || !Object.isExtensible(prototype2) || Object.getOwnPropertyDescriptor(navigator, "locks");
  defineMembers(isOwn ? navigator : prototype2, {
    get locks() {
      if (
        /** @type {unknown} */
        this !== navigator
      ) throw new TypeError("Illegal invocation");
      return manager;
    }
  });
  for (const name of Object.keys(interfaces)) {
    Object.defineProperty(global2, name, { value: interfaces[name], writable: true, configurable: true });
  }
  return manager;
};

// glue/entries/default.js
var createDefault = (openLog2) => {
  const locks2 = createLockManager(global, openLog2);
  const install3 = (options) => {
    const installIn = (window, manager2) => install(window, manager2, { Lock, LockManager }, options);
    const manager = installIn(global, locks2);
    if (manager === locks2) {
      if (options && options.join) openLog2().join();
      installInBlankFrames(global, (window) => {
        if (window.LockManager !== LockManager) installIn(window, createLockManager(window, logOpener("", { window })));
      });
    }
    return manager;
  };
  return { locks: locks2, install: install3 };
};

// glue/entries/index.js
var observation = /* @__PURE__ */ createObservation(readWallClock);
var debug;
var openLog = /* @__PURE__ */ withDebug(
  /* @__PURE__ */ logOpener("", {}, observation.watch),
  { label: "", now: readWallClock, observation, hasLeader: !isNode, choosePrinter: () => printerFor(debug) }
);
var byDefault = /* @__PURE__ */ createDefault(openLog);
var { locks } = byDefault;
var install2 = (options) => {
  checkInstallOptions(options);
  if (options && options.debug !== void 0) ({ debug } = options);
  if (isNode && !global.navigator) Object.defineProperty(global, "navigator", { value: {}, writable: true, configurable: true });
  return byDefault.install(options);
};
var faces = /* @__PURE__ */ new WeakMap();
var internal = {
  /** What the drafts need of a manager; undefined if it is not one of Lockkeeper's. @param {object} manager @returns {Face | undefined} */
  faceOf: (manager) => manager === locks ? { environment: createEnvironment(global), openLog, observation } : faces.get(manager)
};
var report = async (face) => reportOf(await face.openLog().inspect(), face.observation.sinceOf);
var createLockManager2 = (given) => {
  const environment = createEnvironment(global);
  if (wantsClaims(given)) {
    const { manager: manager2, openLog: openClaims } = createClaimsLockManager2(given);
    faces.set(manager2, { environment, openLog: openClaims });
    return manager2;
  }
  const { name, debug: debug2, options } = toOwnManager(given, isNode);
  const own = createObservation(readWallClock);
  const open3 = withDebug(
    logOpener(name, options, own.watch),
    { label: name, now: readWallClock, observation: own, hasLeader: !isNode, choosePrinter: () => printerFor(debug2) }
  );
  const closable = createClosable(open3, environment);
  const face = { environment, openLog: closable.openLog, observation: own };
  const manager = makeOwn(createLockManager(global, closable.openLog), { inspect: () => report(face), close: closable.close });
  faces.set(manager, face);
  return manager;
};
var inspect = () => report({ openLog, observation });
// Annotate the CommonJS export names for ESM import in node:
0 && (module.exports = {
  Lock,
  LockManager,
  createLockManager,
  inspect,
  install,
  internal,
  locks
});
