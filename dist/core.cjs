/* lockkeeper 0.2.0, MIT */
"use strict";
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
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
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// glue/entries/core.js
var core_exports = {};
__export(core_exports, {
  CoreError: () => CoreError,
  createCore: () => createCore,
  decodeSnapshot: () => decodeSnapshot,
  openCore: () => openCore
});
module.exports = __toCommonJS(core_exports);

// build/out/embedded.js
var text = "t@}@?@w)ttt)@=)I@p(@W@W)@W@p)@W)@W@p(@W@Wt@p.@W@W@W)@W@p)@Wt@p.@W@W@Wt@pt)@W@p(@W@O)@W@p)@O)@W@p(@O@W)@W@pt)@O@p.@W@W@Ot@p)@W)@O@pd@W@W@W@O@Ot@p.@W@W@O)@W@pn@W@W@W@W)@W@pn@W@W@O@O)@W@pn@W@W@O@Ot@pd@W@W@W@W@Wt@pn@W@W@W@O)@W@pp@W@W@O@W@W@O@W)@W@ptt@ps@W@W@O@O@O@O@O@W@W@W@W@W)@W.@>@gnp)})(n(ntd}))tdt.(((nn..tt)t.)dcgdttttyt)|.p{)).()tr2t.(Dt(,-,((w.(((nn))gt)ptsd>tp{>>s}t)4{){{Tgd{)))@3@3({p)@W)=@3e,p~l)w{@w@s@w@T@L@e(td@L@s@?@s@mt@}p@?@>@L@}@m@>@|tzd@}@I@I@-@et@p>@s@<@s@4@mC@T@M@4@mt@{{@s@<@s@4@m@?t@d}@?@4@}@I@?@|@T@mt1p@L@s@?@m@T@L@st@nn@c@T@L@Dt@.{@L@s@2@T@r@4t@(,@4@s@F@m_@s@h@M@s@?@mt@),@L@s@h@M@s@?@mU@}@w@st@td@L@}@r@?@st#n@-@}@?@mtGn@m@r@w@st9s@4@s@F@mf@s@}@,@-@r@4@st5s@L@s@h@M@s@?@mC@T@M@4@mt%s@r@?5@4@,@r@?@I@M@m@s@,t^,@M@?@sq@ej@m@|@s@L@?t_n@|@}@?@|tQ>~yC@grtetet&(tetet&(n,6))@Ze)~,i(@Uet@?=@#~=~ ~x@e@-ite(qe@K@U@?et=|@<@?=~:@R@9@9@F@-it=c@<et@?,>teto(net!,Wt=tet@Cet@}etftttttttt@c:etf~+~+~+~+~+~+xC@s:@Lm,ctetott=)@m=n@2,Htete)rK=(@m=@3e@2i)o(t&(te)et&(t,l))@Weto(ti)eto(n&(neto(ne)&(tetrt,$))@Weto(tl(e)et&(ne)e(&(teto(te)&(nete)&(t,@q.),@Wet=@N)@2l>.ae>r(:naeto(@R)i)r{e)=0@Di(=h@2l}e(1t[na(ae}r(:cte(=tEt[e(=u@2ln=)l{=)l).ae)=)@hnaeno(nl.=tlp.ae.en]nae.e{enr ige{enr ldegl).ae)e.!e)ed!@L:nae) .se. .s@>nae)o(nl,e)r{e.e)rpe,l)de.o(nl.,s),,ep=)eneg!mlpedl.s),,ep=)@hl)e{=)@ml{s),,.aenr(c)e(o(oi)r{ete)=M@DrXst,t,,e(=r@2ld.a(ae(o(ei)ed!cte(1t[cte(e)o(}i.r8:cte(e)o(n&(ee(e(o(v=)@2&(ve)=)Etre.e.o(v=w@-@2=~Vt@2e)]c)ete.rXs),,edr(:c)e}r(:c)et=~Ht@2e(rwe(e(o(}rn=a@Drds),,, te)o(}eto(}=@#~=~ ~x@e@-@?it=|@<et@?=~:@R@9@9@F@-it=c@<et@?,P))@Weto(tl.(aet1t}nae.eto(n@2e)e(rN:c)et=)Etgde.:c)e.eto(n@2e)e(rI?,,eteto(ne(@2&(n,htetftttttt~V@W@gn@Wetr.d=),,@v)).@WetrKit=H+na(aet=(@m=@3e@2i(o(ti)nae(e)o(t&(ts),(@W=)et@mitxti)=r@m=@xlo(t=@]l@2i(@Di.Snaete.@D=r@<=)@2i.e)=.@<@2rB:na=te.rB:c(?,,=@xl=@xlo(tet@2&(te(,|,,e),&)(@Wet=nrWi)n@We)otti(eto(n=)@<+n@We)=tete(=)@mrWmd=t,d=t,,@?((@W(@Ze)=n@2l(e)rne)@2l.=)l)et=)@<=~W~]~[~!n@?@%ln.ae(e.]nae(8tte)@%en@Z@Oid@U=~+~+~+~+p@hedqF@K@U@2it=~+~+~+~+p@Detet=~*~+~+~+pSml)e(=(@2l(s),,e),@U)).@Wete(e)o(@pe) .afttttttttre=tl(.ae)o(@-e(Snae)e(=w@-@2ino(@Oi.o(een=~Vt@2id!nae.eno(@m&(e,en1t@3)nae.e.o(v=)@D&(v,edr{ete.rDe(=)@2l(s),,e)=M@2r{ete)rRet=~zt@2e)rwe)e)o(@-=w@-=~Vt@2rd,Ltet=b@2ete)rUroit=r@D=tetm,mtete(rWitnae)ete(rI?,et=t],Ite)rH:naet=@N)@2e)=0@2rp,,Ltete)o(f&(tete)o(a=)@m&(n,q)(@Weto(teto(ne)o(n@h=(@m@2l(.ae(i.o(ti(e)]ct,e.e)o(t&(teteto(}=)@D&(},yteto(teto(nrC,?tet=t&(setqtN(netet=s@2&(t,8))@Wetl..ae(nae.e)1ttEtte.=)@2l.e)=)@2l)e(=)@Dl(s),,et,/))@Wete(rolt(a.aetnaeto(}l(e)rni.e(rn!n@We)e(e.rNd=),:c(etr*lts),,=tlt,et,wteto(@C)e)=(@m@2=n@Do(t,?tet:na=@Nlo(tr!=@Nle)&(t,et,i).@Wetl).ae(i.=)@2l(e)o(ni)et]ct,e.,@!.)>@WOt=b@Di.utet=o&(ne)=~qt@2l(e)=~Vt@2lg.ae(o(ti(eg]naete(=e@2=sr>ete(=r@Do(tinenrnr>e(=n@2l(s),,=tl(.ae)eprZipna=tld.aedepo(@-jc(eped=w@-@2ino(@Ol>en=~Vt@2i}o(sin=h@2l,e}en=r@2e,e,r(mo(n!nae>e(&(kete>o(}inenrnr>e(=)@2l(,ed=)@2ldst,t,,e(ln.ae)e{rZi{naete{=a@D=br>=tl(.ae(e{o(@-jc(ete{e(=w@-@2o(@O=k@2=nr>e(=)@2l(st,t,,eto(nl}e.=~?@J~m@;.&(}e.egrm&(se.e) .r;.re.e) .h;.he)o(ol(e.en&(ue.e(&(ee.e)=~!t@2rm&(oe.e)=@ )@2rm&(0et=t&(nete.=}@2=or>e.=b@2ute},:)(@WOt=r@Di.ute.=t&(}e.qtN.te):e(e.etrMinA@L:nae.e)&(te.etrM?,e.=r@2uten,stet=0@2r(=)@?,~w)){@W(aeti.o(}ineto(n=)@2itjn@Wet=(@mdenet=n@<jc)et=(@<,lte.o(nl{e.o(tlpet=(@minrsi}:cte}enrOlne.et=)@D&(ne.en&(t.aede{+naeped=(@m@2o(tlt.aetnaeto(tlne.etrkenlts),,ed=)@2lds),,epe{rC,e.e.o(}=)@2&(}e)e(&(ne.e)rk,J))@Weteto(@j)id=)@2&(@j)eto(@S)ed=h@-@2iten;.rete.;.}ete(&(nete)&(t,>te)~{et@]r.,<teto(@C)e)=(@m@2=n@De(&(te(e)&(b,B))@Wetl(.ae)nae(=tEtte(=)@2l(e)=)@Dl)s),,et,=((@O(@Wet .Pi(e) .Pi.@gnae(e.@>|,eto(@pine)o(@pid]n@WenedAdet .ae) .a@>,,k))@We)=r@2et=~!t@2i(e)mo(ni)e(!naeto(@K)l),=te)=r@De)et=@ )@2!m,z)(@We)eto(ni.+naeto(tl(ete.e)@D&(nete)e(@2&(t,e(,atet=~zt@2e)e(r+rolt(a.aetnae(et .a@}naeto(ue)!c.,etr*lts),,=tlt,et,?teto(teto(ne)@h=(@m@2o(te)rE,gtetat=@W],@7n(p@Wd@OOt=b@Dinut=@ll}e)en=br2na(aeteno(erri>idna(aen thl,en trlsen t}lyen tticr.:ecftttttt~Vx@s@Lcteced .k@,ctetedecr3ctenotuip=)Sct=tenotoepmcte,r,:ctesr,:cteset .ri|@scte.:na=)l{ed=o@2r(c)ecedo(o .k@,l{s),eyet .h@,:cteyr.:ctesftttttt~V@W@}n@W=)l{e,ftttttt~V@W@}c)e,e|@]r,=)@?de,es@s:c)ese,e|@]@s,l{,,e{:cteno(0ld=tl{Ot=r@Diput.a(aede{!cte)ep=s@2=nr2:ctepo(sige(o(njcte(o(teg=(@m@2o(tigrHctetegrDe{=)@2l{s),,ep=r@2uted=t]ede{+@h:ctete>en .teno(ueno(oen .hedr=i):na=@Wl}s),e.naeten .}i,;.hete)e,en .rrvl(etr}e(:c)dete)en .rrVetr},=t=@le)1t[e.!ml},,en=b@2ute},ut.ae):ete(!@L:nae)=)@Dl)eto(nlts),,et,Tte)r,n@Wet .re)@]r,d=t,,K)(@W=@Nlo(t=t=tr<itrzi)=tUn@W=@Nlo(t=@8lo(tetr<de),,:)(@W=@8lo(tl)et=@Klo(ti(Snae)nae)e(rd,=@8letrsi)&(t=@Klet=te)m&(t,e)=@We)m,yt=eet=)@D=|@L@y@D,@o{(c@W(@OOt=r@Disutfttttttttes=s@2rYl.eso(sl{(ae.:na(aOt=a@2idutede)&([edet&(k=@ll.ed=k@2ed=r@2=or2na(aed .hirr.:cted .ei2r.:cte2edo(vrl:ctedo(0inedo([=(@<Scte{erftttttttt@];.ren=(@m=n@2icrsl.eden&(sede.&(}e.:na=@Wl.s),e.ecrOlyed=k@2l}ed=}@2lg=tl.edotwlp.aedotol,=tepe.mnaep=)@DlpOt=r@Dinut=@ll.e}en=sr2na(ae,eno(}i|Acte|e{o(o+cte{e}rce|en .trJl.,,en=r@2uts),,e{e,&(oe.:na=tl.=tln(@W(a.ae.ego(njc)=@le}rcip:c(?e{epr&lpe.=(@mi,ego(t@2ep&(te.=)@2l.e,ego(t@2o(tct,=@Wln,en,l.,edotblp.a=tepe.mnaep=)@Dlpe{e}eg=)r$l.s),,=@llned teire{ .h@>:na(ae{erftttttttt@];.hedotvlpe.ln.aep:en@Lc)ep=)@Dlpe{e}eg=tr$lnst,t,,enl..aeye>=(@m@2o(tinnae{enrDe>=)@2l>s),,e{r}eyecrd=@ll>(a(ae.=)@2y((t),=tlnOt=r@Di.ute{=t=tr<e)!nae.=)R)}e.=t&(ne.et&(te.e{rM?e.1tg:ln,e.=r@2ut=t=@lenml>,e>l.,,ed=a@Dute.ct=tl.s(,,e{r!=tl{,e(e{&(tes=r@2ute.,@D).@We)o(@-inl.(a(a.ae.=)@Di.:c)e)e)o(v=)@2i(=te(enAmi(&(ve)e(=w@-@2i(1t@3):c(e(o(@Oi(1t[:ct,e(=u@2e)=M@2rps),ete)ra,,Lteto(@,n@Weto(@|it=@Wetmd=),,a)(@Weto(vi.:na=)|,eto(eo(ti(et=r@2!naeto(hl(,e)r6ite(o(}r6!ete.S@h,@6))d@W=)ld.ae)o(@-epSnae)ep=w@-@2ino(@Ol{en1t@3):nae{e)r8l}en=)Et@3)e{e{o(v=)@2&(vede}@hld,en=~Vt@2inr{e{=h@2enrpep=)@2lps),,ete)rRe)=)Et[ete)e(e.r7ed=)@h,@*)).@We)e.;.Pe)e(;./e)o(ulne)e)o(ke(r)e.r)&(hen=e=oe)1t[m@2e)=}@2rpetet=~!t=@ )e)1t[m@2ino(ti{e)=r@2idrgedenrg@2e{enrg@Deto(0@2&(0enedrpe.ftttttt~V@W@gnaeteto(@])=)@2in&(@])etene)rP,,@H).@Wet=~Ht@2i(e)eto(}e)ryi.rhit:nae)rn=a@Drsitnaet=r@2inrtet=h@2rtet=u@2rtet=0@2rtet=tEt[et=t&(veten&(ee(etet=J@2e)e.r;d=t|,,et,a)(@W(a.ae(:c)et1tti.e)1ttin!nae)=)@2l)et=)@2lte(=)@Dl(s),,e.en@D|,=t,3te)eto(teto(ne)o(n@h=(@m@2ito(t&(tete)&(t,ute)e(e.e.rnrI&(}e)=te.ry&(sete)enrF,it.a(aet:cteto(ne)!cteto(tlts),,et,~X))d@We)=}@2i(r(:na(ae(r{ete)=r@2i(o(ti.e(o(ninrge.e(rge(enrg@2@Deto(0@2&(0e(r{etl(e)o(bit:cte)=t&(be(e(o(@])=)@Di.&(@])e(o(@C)e.=(@m@2o(tine)!ct.a(aet=)@mi)e.Scte)e.Anae(e)=)@LidrLl{ede)e{e(e)rLruml),e(e)rLidenru:cte(etedrie)lts),,e(etenrP,,,Vteteto(0e)o(b@D&(0e)e(;.ke)e)o(se)o(a~{r)e(r)i)&(beteto(0e)@2&(0,~e))n@W=@Zlne)na(ae)ott:e.ftttttt~Vx@>@Lcte.r.:ct=@Olnet=a@Dide)eto(}i{e)ryiprhcte(:na=@e|,e)rn=~Tt@2rsin:na=@W|,en=t&(bene(&(aene{e(~{r)&(ven=e@2rten=o@2rtet=~Vt@2en=h@2rpet=b@2en=r@2ete(rUrFedenen=~Dt@2e)epr;ete(&(oetene.r[=tln,,en,@.)n@W.ae)o(@-e.Snae)e.=w@-@2ino(@Oid=r@2i{en=~Vt@2inrpe{edo(e!naeden&(e,e.=)@2l.s),,ete)ftttttttte(r7,W))@We)=h@2l(.ae(r(:naete)o(Mo(}=.r|s),,,5)(@Oet .re) .#@]l(etet .hftttttt~Vx@]i.;.hete)e.e(ftttttt~V@We(r,mrv?et=)e)o(@pe) .ae) ./re,~V().@WetrAnae{=w@-=~Vt@2rsipnaep=}@2rtep=r@2rtep=M@2rtepe)&(ue)o(al}epen&(@|epe.&(@,epe(;.aepe}&(@pepedftttttttt@];.#etet .eidftttttt~Vx@];.eepe{&(@-ep=tEt[epqtN.beped;.oep=~Vt@2lget=@N)@2ln=tl..ae.e{]naeno(nlnege.=w@-@2i}=tEtre}en=0@D&(se}ep&(}e}rte.=)@2l.s),,=tl.epo(@pep .ar)ep .#r)epo(@,~{r)epo(@|~{r)lnepo(@-l}epl{.ae.e}]naene{e.=w@-@2o(@Oo(s~{r)lne.=)@2l.s),,e{en&(ket=~zt@2e{e)e(r+rFd=tl{,d=tl{,e{,G)(@W=@Zlne(na(a(a.ae(nae)rci.:c.ete.r&i.:c(e.rHc.e(=)@Dl(ete.rDs),,=@Z=te)o(nmlns),=@W|,,en,-te)naete)=(@m=n@2rd,,<t.ae)r(:naete)o(n=}@D=nr|s),,,jtete)=e@2rfete)=o@2rfeteto(0e)o(b@D&(0e)=h@2r{et=b@2e)=r@2rwet=a@De)rwe)e)o(}rn=~Tt@2rd,G))@Wetnaet=~Vt@2l).ae)r(:naeteto(@m=h@Dr:s),,etr}et=b@2r4et=a@Dr4et=~Ht@2r4et=~zt@2r4etr]et=@G)rd,,Dteto(@C)eto(@x)r/rd,>tet=v@-=b@2,@u)n@Weto(@|i)eto(@x)i.Ae)=)@2e.=n@<j@h:nae)=)@m=}@2inr/rsi(:nae)e.A|,eto(@C)i)nae(e)eto(@])=(@mrI?etr],ete(&(@C)eten&(@x)ete(en=(@m@2&(@S),=),~.)))@W(@We)=t&(tetr.n@W=@G)rsi(nae(=@G)rOi(=@ lo(t&(}e(=~YeB(tN(td=tl(,=@We(:c)?e(etftttttttt@];.he(=b@2rTe(=a@DrTe(=~Ht@2rTe(=~zt@2rTe(=~Vt@2rte(=~!t@2rte(=@ )@2rte(=@N)@2rte(rAn@We)e(&(t=tde(=@G)rd=@W,d=@Z,,,$))@Wetl(.aete(o(ni(]nae(o(}o(@pe)!c),,ete(],yteto(teto(nrE,6))@Weto(vi(e)fttttttbC@]~,@Uit=@3@p@h@2e(et=s@<~{r)et@2=~+F@h@2,Lteto(}e)@?=@#~=~ ~x@e@-it=r@<et@?,lteto(@])n@Oeto(@C)o(t .Pdftttttt~V@W,,R)(@W.a(ae)=(Acte(ete)=)@<i.rLinru:ctete)enrie.l)s),,ete)e(ri,W))@W=@Nlo(tito(0et .rr)et .hr)eto(o~{r)~{,@K)).@W=@Nlo(tln=@8lo(tl(Ot=r@Di.ute.e(&(}e.e)=)@m&(s=tl)(a.ae.=}@2rci(:c)en=~Ht@2e(eno(}e(ryrhi(:cte(=h@2etrS:na=)e)e(=r@2etrSml)s),,=(l),e.=r@2ute),@>).@W=@Nlo(ti(etrritna(ae(ete)r3i(:cte(1t[:cte(o(@-ln.aene.it]naet=)@2l.e(et=w@-@2o(@O=r@2r(c),,etenjl.,,e.,,t=@Nlo(to(@|,>t=@Nlo(trj,,t=@Nlo(t .r,et=@Nlo(tetrritn@Oet .kdftttttt~V~c,,x)(@W=@Nlo(tl)=@Zl(etr.na(ae) .het@c:naete)o(@|rl:c)e)et;.h,=tl(,,e(,rtete)=w@-@2o(@Oo(},st=@Nlo(tetrZ,ct=t=@Rlo(tr??,P)(@WOt=r@Di)utr1it=tUna=@8lo(tete)=s@2rbit:na=@Rl=@Nlo(t&(t=@Nle)o(s&(t=tlt,,e)=r@2utet,z))@WOt=r@Di)ut=@8lo(tete)=s@2rbe)o(sr?lte)=r@2utet,st=@Nlo(to(@S),st=@Nlo(to(@j),~+{)n@WOt=~Ht@Disutes=@8lo(t&(fese,&(aese>&([eseg&(kese}&(vesep&(bese{;.oesed;.eesen;.hese.;.rese(;.}ese)&(neset&(t=@Nlo(ti,=t&(@j)=@Zlc(a(a(a(a(a(aet=)@Dy{...()td,e{r.:cn=tlce, .re{@>:cne,e{;.rsn,e,e)rrit:c(e,etr:=tlcs.,es=~Tt@2itesr-etrclte>=)]c(eso(*c(e,ete,o(o=)@2e(rJicc(e,={e,o(oe(fttttttttre=tlcs(,e,e)rriy:cte(r.:c)=@Olcey .ki{e(@cc)=@ilce{ftttttt~Vx@]e(@>c)(a(a(a(a(aet=)@Dy()t(,=@Zl)e.r.:c.e,eye.r3itn@We,et=nr|=td=),l)s.,=@Zl)=tlteso(bic=)+na(aeso(ki|=(Sec=te|=(!m@Lct=teso(vecmcte,es .hr0:cte,es .er0lt,,et:c(es=~Tt@2itesr-e,ete>rqi)c)=.l)e, .he,o(@|=)@2rl:c)e,eye(epe}ede>r=ip:na=@Wl)s(,eg=(@h:nae,epe, .ren@]rVe,r}=tl)eg=)@h:c(ep1t[c(e,ep=(r|s(,=tlt.aetepo(@-Anae,epet=w@-@2i)o(@Orxe)o(@O=)Et[et=)@2lts),,e,epra=tl)s),es=~Tt@2itesr-e,ete>rql)e,r}e)cte,=~Ht@2lpes=~Tt@2esr-=tl)=tlt.aete>!c)epes=~Tt@2rci}e,o(}e}ryrhi}nae,e}rx,et=)@2ltst,t,=@Wlce)=@W!c(,e,eye(r[=(e)e)=t/mlcs),=@ulc,e,r}.ae,rje, .r@snae,e,o(@C)o(t=dr|e,r}s),,es=~Ht@2utec,b))@WOt=r@Di(ut=@ le)&(tete(=s@2rYe(o(sr?l)e(=r@2ute),";
var alphabet = "t)(.nd{p}g>,scy|r2D-w4TIhL?mM<HFeliOuZW3oB$ 01zKbX68v7&Nk;ER[JVxa=qCf:!]/AYS*+UjPQ_^%59G#";

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

// glue/core/snapshot.js
var decodeSnapshot = (bytes) => {
  seek(bytes.buffer, bytes.byteOffset + 4);
  const memberCount = readWord();
  const time = readNumber();
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
  return { members, held: readList(heldCount, nextRequest), pending: readList(pendingCount, nextRequest), time, fence, lastHandle };
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
var exportsOf = ({ exports }) => (
  /** @type {Exports} */
  /** @type {unknown} */
  exports
);
var wrapCore = (exports, fence = 0, seed = Math.random() * 2 ** 32) => {
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
  const go = (place) => seek(exports.memory.buffer, place);
  const handleOf = (client) => handles.get(client) || 0;
  const scratch = (size) => check(size < TOO_LARGE ? exports.scratch(size) : OUT_OF_MEMORY);
  const writeNames = (names) => {
    let length = 0;
    for (const name of names) length += name.length + 2;
    if (length) go(scratch(length * 2));
    for (const name of names) writeName(name);
    return length;
  };
  const perform = (operation) => {
    const { type, client, number, request, mode, names, now } = operation;
    changes++;
    const all = namesOf(type === "join" ? [client] : names);
    const length = writeNames(all);
    const limit = ownMember(operation, "limit", 0);
    const wait = ownMember(operation, "wait", Infinity);
    const hold = ownMember(operation, "hold", Infinity);
    const flags = (ownMember(operation, "ifAvailable") ? IF_AVAILABLE : 0) | (ownMember(operation, "steal") ? STEAL : 0);
    const count = typeof limit === "number" && limit >>> 0 === limit ? limit : -1;
    return exports.apply(
      /** @type {readonly unknown[]} */
      OPERATIONS.indexOf(type),
      handleOf(client),
      numberOf(number),
      numberOf(request),
      numberOf(wait),
      numberOf(hold),
      numberOf(now),
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
    const size = check(exports.snapshot());
    return new Uint8Array(exports.memory.buffer, exports.scratch(0), size).slice();
  };
  const reset = (above) => {
    check(exports.reset(above, seed));
    changes++;
    forgetMembers();
  };
  const restore = (bytes) => {
    if (IS_PACKAGE && !ArrayBuffer.isView(bytes)) {
      throw new TypeError(`restore() needs the bytes of a snapshot: a Uint8Array, not ${brief(bytes)}.`);
    }
    const at2 = scratch(bytes.length + 1);
    new Uint8Array(exports.memory.buffer, at2).set(bytes);
    check(exports.restore(bytes.length));
    changes++;
    forgetMembers();
    for (const { client, handle } of decodeSnapshot(bytes).members) addMember(client, handle);
  };
  const apply = (operation) => {
    if (IS_PACKAGE && !operation) throw new TypeError(`apply() needs an operation: an object, not ${String(operation)}.`);
    const status = perform(operation);
    if (status < OK || status > STALE) throw new CoreError(status, operation);
    const count = exports.eventCount();
    const events = [];
    if (count) go(exports.events());
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
    for (let at2 = 0; at2 = exports.nextRequest(at2); ) {
      let place = 0;
      const nextName = () => {
        const nameAt = exports.requestName(at2, place++);
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
      if (exports.fork() < 0) return [];
      const [handlesBefore, clientsBefore] = [new Map(handles), new Map(clients)];
      try {
        return (
          /** @type {LockEvent[]} */
          [].concat(...operations.map(apply))
        );
      } catch (e) {
        return [];
      } finally {
        exports.rejoin();
        handles = handlesBefore;
        clients = clientsBefore;
      }
    },
    raise: (above) => void check(exports.raise(above)),
    reset,
    snapshot,
    restore,
    // The script-tag build does not use it.
    requests: (
      /** @type {Core['requests']} */
      IS_PACKAGE && requests
    ),
    state: () => decodeSnapshot(snapshot()),
    hash: exports.hash,
    time: exports.time,
    nextDeadline: exports.nextDeadline,
    requestCount: exports.requestCount,
    isUndisputed: (client, number) => !!exports.isUndisputed(handleOf(client), number),
    useByOthers: (client, names) => USES[exports.useByOthers(handleOf(client), writeNames(names))],
    last: (client) => exports.last(handleOf(client))
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
var openCore = () => {
  try {
    return wrapCore(instantiate());
  } catch (e) {
    return WebAssembly.instantiate(decode(text, alphabet)).then(({ instance }) => wrapCore(exportsOf(instance)));
  }
};

// glue/core/index.js
var OPTIONS = ["wasm", "js", "fence", "seed"];
var checkOptions = (options) => {
  if (Object(options) !== options) throw new TypeError(`createCore() takes its options as an object, not ${String(options)}.`);
  for (const option in options) {
    if (OPTIONS.includes(option)) continue;
    throw new TypeError(`createCore() has no option ${JSON.stringify(option)}. Its options are ${OPTIONS.join(", ")}.`);
  }
  if (options.js && typeof options.js !== "function") throw new TypeError("The option js of createCore() must be a function.");
};
var createCore = (options = {}) => {
  checkOptions(options);
  const { wasm, js, fence, seed } = options;
  if (js) return wrapCore(js(), fence, seed);
  if (!wasm) return wrapCore(instantiate(), fence, seed);
  const module3 = wasm instanceof WebAssembly.Module ? wasm : new WebAssembly.Module(wasm);
  return wrapCore(exportsOf(new WebAssembly.Instance(module3)), fence, seed);
};
