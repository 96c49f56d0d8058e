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
    if (IS_PACKAGE && !(ArrayBuffer.isView(bytes) && bytes.BYTES_PER_ELEMENT === 1)) {
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
  for (const option of optionsOf(options)) {
    if (OPTIONS.includes(option)) continue;
    throw new TypeError(`createCore() has no option ${JSON.stringify(option)}. Its options are ${OPTIONS.join(", ")}.`);
  }
  if (options.js && typeof options.js !== "function") throw new TypeError("The option js of createCore() must be a function.");
  if (options.seed !== void 0 && !Number.isInteger(options.seed)) {
    throw new TypeError("The option seed of createCore() must be a whole number.");
  }
};
var createCore = (options = {}) => {
  checkOptions(options);
  const { wasm, js, fence, seed } = options;
  if (js) return wrapCore(js(), fence, seed);
  if (!wasm) return wrapCore(instantiate(), fence, seed);
  const module3 = wasm instanceof WebAssembly.Module ? wasm : new WebAssembly.Module(wasm);
  return wrapCore(exportsOf(new WebAssembly.Instance(module3)), fence, seed);
};
